// Package migrate compares the output of schemagen for a project with that of
// controller-gen: it finds the calls of controller-gen in a Makefile, runs both
// programs on copies of the project, which neither may leave, and
// reports the differences with their reasons. It knows files and processes, but nothing about
// the content of schemagen's files.
//
// make and programs from the repository run only with the user's consent.
//
// Read the files in this order:
//
//   - migrate.go: [Run], the whole comparison
//   - make.go: make is asked, in a copy, for its database and the expanded recipes
//   - calls.go, shell.go: the calls of controller-gen in them
//   - literal.go: a Makefile whose text is certain, without make
//   - peers.go: the controller-gen of the project, and that of the release that schemagen reproduces
//   - copies.go, confine.go: copies of the project, which neither program may leave
//   - killgroup_unix.go, killgroup_other.go: how processes are ended
//   - change.go: the Makefile is changed, and make is asked whether the change holds
//   - settings.go: command lines become settings for a new schemagen.yaml
package migrate
