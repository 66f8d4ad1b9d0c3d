module github.com/schemagen/schemagen/bench

go 1.26.0
