// Package e2e compares what this project generates and predicts with the behavior of a real
// etcd, kube-apiserver and kubectl. All of them are built from Go modules; the tool block of
// go.mod names the programs.
//
//	build.go    builds the programs of one Kubernetes version into a cache
//	module.go   go.mod for versions other than that of this module
//	process.go  a child process: its log, its end, and that it never outlives the test
//	server.go   etcd and kube-apiserver together
//	client.go   requests and kubectl
//	crds.go     the CRDs of the repository
//	progress.go limits based on progress: responses, and polls of a condition
//	report.go   REPORT.md
//	webhook/    the webhooks of examples/webhook as a program, in a module of its own
//	testdata/migration/  the types that KEP-1027 names as the first to migrate
//
// All servers listen on the loopback interface only. Files left by a killed run are removed
// by the next run.
package e2e
