//go:build js && wasm

// Command wasm is the playground in a browser's worker. It sets one global function,
//
//	playground(sources) → run
//
// whose argument is the archive of package sources as text, and whose result is a function from the JSON of a
// state to a promise of the JSON of its result.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"

	"github.com/schemagen/schemagen/web/playground"
)

func main() {
	js.Global().Set("playground", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p, err := playground.New([]byte(args[0].String()))
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			state := args[0].String()
			return promise(func() (string, error) {
				if err != nil {
					return "", err
				}
				return run(p, state)
			})
		})
	}))
	select {}
}

// run is the function that the page calls.
func run(p *playground.Playground, text string) (string, error) {
	var state playground.State
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		return "", fmt.Errorf("the link has no state of the playground: %w", err)
	}
	result, err := p.Run(context.Background(), state)
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(result)
	return string(out), err
}

// promise returns a promise of the result of a function, which runs without keeping the event loop.
func promise(work func() (string, error)) js.Value {
	var executor js.Func
	executor = js.FuncOf(func(_ js.Value, args []js.Value) any {
		go func() {
			defer executor.Release()
			result, err := work()
			if err != nil {
				args[1].Invoke(js.Global().Get("Error").New(err.Error()))
				return
			}
			args[0].Invoke(result)
		}()
		return nil
	})
	return js.Global().Get("Promise").New(executor)
}
