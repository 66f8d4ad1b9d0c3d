package unions

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// typedProgram is the program in testdata/typed/answers, which runs generated functions. It
// is built and started by the first test that needs it, and runs until the last test is done.
type typedProgram struct {
	start  sync.Once
	failed error
	dir    string

	ask     sync.Mutex
	process *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
}

var typedAnswers typedProgram

func TestMain(m *testing.M) {
	code := m.Run()
	if err := typedAnswers.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// typedAnswer is a response of the program: Answer of testdata/typed/rows.
type typedAnswer struct {
	Given, Object json.RawMessage
	Errors        []struct {
		Type  field.ErrorType
		Field string
	}
	Untyped, Broken string
}

// onTypes returns the behavior of generated functions. The shape names the Go type.
func onTypes(t testing.TB, shape string, opts Options) implementation {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	name, known := map[Options]string{{}: "default", {CarryOverOnly: true}: "carry-over-only", {NoRatcheting: true}: "no-ratcheting"}[opts]
	if !known {
		t.Fatalf("got no functions with %+v", opts)
	}
	return func(old, new map[string]any) outcome {
		request := map[string]any{"options": name, "shape": shape, "new": new}
		if old != nil {
			request["old"] = old
		}
		a, err := typedAnswers.answer(request)
		if err != nil {
			t.Error(err)
			return outcome{untyped: err.Error()}
		}
		if a.Broken != "" {
			t.Error(a.Broken)
		}
		if a.Untyped != "" {
			return outcome{untyped: a.Untyped}
		}
		var errs field.ErrorList
		for _, e := range a.Errors {
			errs = append(errs, &field.Error{Type: e.Type, Field: e.Field})
		}
		return outcome{accepted: len(errs) == 0, object: object(t, string(a.Object)), errors: kinds(errs)}
	}
}

// sentTyped returns an object as sent by a client with the Go type of the shape.
func sentTyped(t testing.TB, shape string, object map[string]any) json.RawMessage {
	t.Helper()
	a, err := typedAnswers.answer(map[string]any{"options": "default", "shape": shape, "new": object})
	if err != nil || a.Untyped != "" {
		t.Fatal(err, a.Untyped)
	}
	return a.Given
}

func (p *typedProgram) answer(request any) (typedAnswer, error) {
	p.start.Do(func() { p.failed = p.run() })
	if p.failed != nil {
		return typedAnswer{}, p.failed
	}
	p.ask.Lock()
	defer p.ask.Unlock()
	var out typedAnswer
	line, err := json.Marshal(request)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err == nil {
		err = p.out.Decode(&out)
	}
	return out, err
}

// run builds the program from the checked-in functions, in a module that does not require
// this one, and starts it.
func (p *typedProgram) run() (err error) {
	if p.dir, err = os.MkdirTemp("", "typed"); err != nil {
		return err
	}
	if err := typedmodule.Requirements(p.dir); err != nil {
		return err
	}
	if err := typedmodule.CopyProgram(p.dir, "answers"); err != nil {
		return err
	}
	for _, v := range typedmodule.Variants() {
		if v.Types != "rows" {
			continue
		}
		to, err := v.CopyTypes(p.dir)
		if err != nil {
			return err
		}
		functions, err := os.ReadFile(filepath.Join(typedmodule.Files(), v.Package, typedmodule.FunctionsFile))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, typedmodule.FunctionsFile), functions, 0o666); err != nil {
			return err
		}
	}
	if _, err := typedmodule.Go(p.dir, "build", "-o", "answers", "./typed/answers"); err != nil {
		return err
	}
	process := exec.Command(filepath.Join(p.dir, "answers"))
	process.Stderr = os.Stderr
	if p.in, err = process.StdinPipe(); err != nil {
		return err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = json.NewDecoder(bufio.NewReader(out))
	if err := process.Start(); err != nil {
		return err
	}
	p.process = process
	return nil
}

// stop ends the program and returns an error if it has failed.
func (p *typedProgram) stop() error {
	var err error
	if p.process != nil {
		err = errors.Join(p.in.Close(), p.process.Wait())
	}
	if p.dir != "" {
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	return err
}
