// What this module requires is in 1.*.mod, a file for each version of Kubernetes.
module github.com/schemagen/schemagen/apiserver/testdata/celcosts

go 1.26.0
