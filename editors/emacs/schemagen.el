;;; schemagen.el --- Kubernetes API types with lsp-mode  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1") (lsp-mode "8.0.0"))

;;; Commentary:

;; Starts schemagen lsp beside gopls, which eglot cannot do: it has one server for a buffer.
;;
;;   (require 'schemagen)
;;   (add-hook 'go-mode-hook #'lsp-deferred)
;;
;; M-x schemagen-show-crd shows the CRD of what is at point.

;;; Code:

(require 'lsp-mode)

(defgroup schemagen nil
  "Kubernetes API types."
  :group 'lsp-mode)

(defcustom schemagen-command '("schemagen" "lsp")
  "The language server, with its flags."
  :type '(repeat string)
  :group 'schemagen)

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection (lambda () schemagen-command))
  :activation-fn (lsp-activate-on "go" "go.mod")
  :add-on? t
  :server-id 'schemagen))

(defun schemagen-show-crd ()
  "Show the CRD of what is at point, in a buffer that visits no file."
  (interactive)
  (let ((shown (with-lsp-workspace (lsp-find-workspace 'schemagen (buffer-file-name))
                 (lsp-request "workspace/executeCommand"
                              (list :command "schemagen.showCRD"
                                    :arguments (vector (lsp--buffer-uri) (lsp--cur-position)))))))
    (unless shown
      (user-error "There is no CRD with what is at point"))
    (with-current-buffer (get-buffer-create "*schemagen CRD*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (lsp-get shown :text)))
      (when (fboundp 'yaml-mode)
        (yaml-mode))
      (setq buffer-read-only t)
      (goto-char (point-min))
      (forward-line (lsp-get (lsp-get (lsp-get shown :range) :start) :line))
      (let ((at (point)))
        (set-window-point (display-buffer (current-buffer)) at)))))

(provide 'schemagen)
;;; schemagen.el ends here
