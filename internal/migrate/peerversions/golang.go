package peerversions

// goChanges are the changes of the generators of Go: object wrote equal files. The changes of
// applyconfiguration are not in the table: its output comes from code-generator, in the version
// that each release requires, and only some of the measured releases have the generator.
func goChanges() []Change { return nil }
