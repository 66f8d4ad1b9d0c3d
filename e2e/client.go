package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	YAML = "application/yaml"
	JSON = "application/json"
	// MergePatch, JSONPatch and Apply are content types of PATCH requests.
	MergePatch = "application/merge-patch+json"
	JSONPatch  = "application/json-patch+json"
	Apply      = "application/apply-patch+yaml"
)

// Answer is the response to a request.
type Answer struct {
	Code     int
	Body     []byte
	Warnings []string
}

// OK reports whether the request was accepted.
func (a Answer) OK() bool { return a.Code < 300 }

// Status returns the Status object of a rejected request.
func (a Answer) Status() metav1.Status {
	var out metav1.Status
	if err := json.Unmarshal(a.Body, &out); err != nil {
		out.Message = string(a.Body)
	}
	return out
}

// Causes returns the causes of a rejection as "field: message", in the server's order.
func (a Answer) Causes() []string {
	var out []string
	if details := a.Status().Details; details != nil {
		for _, c := range details.Causes {
			out = append(out, c.Field+": "+c.Message)
		}
	}
	return out
}

// String returns the code and the message.
func (a Answer) String() string {
	if a.OK() {
		return fmt.Sprint(a.Code)
	}
	return fmt.Sprintf("%d %s", a.Code, a.Status().Message)
}

var quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// Do sends a request as the administrator. It retries when the server asks for it, as it does
// while it sets up the storage of a changed definition. It returns an error if there is no
// response; the error includes the end of a server process.
func (s *Server) Do(ctx context.Context, method, path, contentType string, body []byte) (Answer, error) {
	var poll poller
	for {
		a, err := s.doOnce(ctx, method, path, contentType, body)
		if err != nil || a.Code != http.StatusTooManyRequests {
			return a, err
		}
		if err = poll.next(ctx); err != nil {
			return a, fmt.Errorf("%w: %s", err, a)
		}
	}
}

// doOnce sends a request.
func (s *Server) doOnce(ctx context.Context, method, path, contentType string, body []byte) (Answer, error) {
	ctx, cancel := s.whileBothRun(ctx)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	request.Header.Set("Accept", JSON)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return Answer{}, s.why(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{}, s.why(err)
	}
	progress(ctx)
	a := Answer{Code: response.StatusCode, Body: text}
	for _, w := range response.Header.Values("Warning") { // 299 - "text"
		if m := quoted.FindStringSubmatch(w); m != nil {
			a.Warnings = append(a.Warnings, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[1]))
		}
	}
	return a, nil
}

// whileBothRun returns a context that is also canceled when either process ends: without
// etcd, the API server responds only after a minute.
func (s *Server) whileBothRun(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-s.etcd.done:
		case <-s.apiserver.done:
		case <-ctx.Done():
		}
		cancel()
	}()
	return ctx, cancel
}

// why adds to an error of a request that a process has ended, the first time with the end of
// its log.
func (s *Server) why(err error) error {
	for _, p := range []*process{s.etcd, s.apiserver} {
		if ended := p.ended(); ended != nil {
			err = fmt.Errorf("%w: %w", err, ended)
			p.quoted.Do(func() { err = fmt.Errorf("%w; %s", err, p.tail()) })
			return err
		}
	}
	return err
}

func (s *Server) kubeconfig() string { return filepath.Join(s.dir, "kubeconfig") }

func (s *Server) writeKubeconfig() error {
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: e2e
clusters: [{name: e2e, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: e2e, user: {token: %s}}]
contexts: [{name: e2e, context: {cluster: e2e, user: e2e}}]
`, s.URL, s.certificate(), bearer)
	return os.WriteFile(s.kubeconfig(), []byte(text), 0o600)
}

// Kubectl runs kubectl with the given standard input and returns its standard output followed
// by its standard error. It returns an error if kubectl fails.
func (s *Server) Kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	ctx, cancel := s.whileBothRun(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.Programs, "kubectl"), args...)
	// The user's own settings must not have an effect.
	cmd.Env = []string{"HOME=" + s.dir, "KUBECONFIG=" + s.kubeconfig(), "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	isolate(cmd)
	err := cmd.Run()
	progress(ctx)
	if err != nil {
		err = s.why(err)
	}
	return stdout.String() + stderr.String(), err
}
