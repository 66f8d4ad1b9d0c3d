// Package e2e holds what this project generates and predicts against a real
// etcd and a real kube-apiserver, with a real kubectl. All of them are built from
// Go modules: the tool block of go.mod names the programs.
//
//	build.go    the programs of one Kubernetes version, built once into a cache
//	module.go   go.mod of a version other than the one of this module
//	process.go  one child process: its log, its end, and that it never outlives us
//	server.go   etcd and kube-apiserver together
//	client.go   requests and kubectl
//	crds.go     the CRDs of the repository
//	progress.go limits that follow progress: of answers, and of looks at a condition
//	report.go   REPORT.md
//	webhook/    the webhooks of examples/webhook as a program, a module of its own
//	testdata/migration/  the types that KEP-1027 names as the first to migrate
//
// Everything listens on the loopback interface only. Whatever a run leaves behind
// because it was killed is removed by the next one.
package e2e
