// Package lsp serves a [editor.Session] to an editor, over the Language Server Protocol: it
// translates positions, which the protocol counts in UTF-16, findings into diagnostics and
// their fixes into code actions. Everything that the protocol leaves to a server is in
// [Serve]; what is found, and when, is decided in package editor.
//
// Messages and framing come from go.lsp.dev. Its dispatcher is not used: it ends the connection if
// a notification is malformed, and links the types of all methods.
package lsp
