// Package reporting is what the commands have in common once their flags are read: the
// project file that fills them in, the judgement and output of findings, and the end of a run.
//
//	Reporter  the flags --format and --strict, the working directory, schemagen.yaml, the console
//	Stream    findings that are printed as they are added
//	Deliver   reports findings and writes a run's files, or says what would change
package reporting
