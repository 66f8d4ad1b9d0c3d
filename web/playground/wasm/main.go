//go:build js && wasm

// Command wasm is the playground in a browser's worker. It sets one global function,
//
//	playground(sources) → call
//
// whose argument is the archive of package sources as text. Its result is a function from the name of a method and the
// JSON of its argument to a promise of the JSON of its result.
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
			method := args[0].String()
			argument := args[1].String()
			return promise(func() (string, error) {
				if err != nil {
					return "", err
				}
				result, err := call(p, method, argument)
				if err != nil {
					return "", err
				}
				out, err := json.Marshal(result)
				return string(out), err
			})
		})
	}))
	select {}
}

// call calls a method with the JSON of its argument.
func call(p *playground.Playground, method, argument string) (any, error) {
	switch method {
	case "run":
		return with(argument, func(s playground.State) (any, error) { return p.Run(context.Background(), s) })
	case "complete":
		return with(argument, func(c playground.Cursor) (any, error) { return p.Complete(c) })
	case "explain":
		return with(argument, func(c playground.Cursor) (any, error) { return p.Explain(c) })
	}
	return nil, fmt.Errorf("there is no method %s", method)
}

func with[T any](argument string, f func(T) (any, error)) (any, error) {
	var value T
	if err := json.Unmarshal([]byte(argument), &value); err != nil {
		return nil, err
	}
	return f(value)
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
