// Package commandline runs the generators of a command line in controller-gen's syntax
// that write no definitions: object, rbac, webhook and applyconfiguration (run.go). Where one
// of them is not certain to write what controller-gen would, controller-tools' own loader and
// generator run instead (upstream.go). Their files are returned for the caller to commit, and
// their errors become diagnostics. arguments.go has the arguments of a command line,
// which parse.go parses.
//
// A further generator of controller-gen is a package beside this one, a case in run.go, and its name
// in arguments.go. A generator that controller-gen does not have belongs to the room of its
// capability, such as internal/unions, and has a command of its own.
package commandline
