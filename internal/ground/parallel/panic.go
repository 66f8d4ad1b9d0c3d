package parallel

import (
	"fmt"
	"runtime/debug"
)

// Panic is a panic with the stack on which it happened. The functions of this package raise the
// panic of a goroutine again, as a *Panic, on the goroutine that waits for it, where a deferred
// function can recover it.
type Panic struct {
	Value any
	Stack []byte
	// Input is the name of what was being worked on, or empty if it is unknown.
	Input string
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Catch calls a function and returns its panic, or nil.
func Catch(do func()) (p *Panic) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case *Panic:
			p = value
		default:
			p = &Panic{Value: value, Stack: debug.Stack()}
		}
	}()
	do()
	return nil
}

// Raise panics again with p, unless p is nil.
func (p *Panic) Raise() {
	if p != nil {
		panic(p)
	}
}

// For calls a function that works on an input, which is named in a panic unless a part of it is.
func For(input string, do func()) {
	p := Catch(do)
	if p != nil && p.Input == "" {
		p.Input = input
	}
	p.Raise()
}
