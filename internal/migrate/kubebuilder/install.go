package kubebuilder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/schemagen/schemagen/internal/run/output"
)

// script is the file that Kubebuilder runs. It finds schemagen in PATH, so it survives updates.
const script = "#!/bin/sh\n# Kubebuilder plugin " + Name + "/" + Version + ", written by schemagen kubebuilder-plugin --install.\nexec schemagen kubebuilder-plugin\n"

// ScriptPath returns the path of the script, in the directory where Kubebuilder looks for
// plugins: $EXTERNAL_PLUGINS_PATH, or one in the user's configuration.
func ScriptPath(system, home string, getenv func(string) string) (string, error) {
	root := getenv("EXTERNAL_PLUGINS_PATH")
	config := getenv("XDG_CONFIG_HOME")
	switch {
	case system != "linux" && system != "darwin":
		return "", errors.New("there are external plugins of Kubebuilder on Linux and macOS only\nin a project, run schemagen init and schemagen migrate instead")
	case root != "":
	case config != "":
		root = filepath.Join(config, "kubebuilder", "plugins")
	case home == "":
		return "", errors.New("no home directory: set EXTERNAL_PLUGINS_PATH")
	case system == "darwin":
		root = filepath.Join(home, "Library", "Application Support", "kubebuilder", "plugins")
	default:
		root = filepath.Join(home, ".config", "kubebuilder", "plugins")
	}
	return filepath.Join(root, Name, Version, Name), nil
}

// InstallFor installs the plugin for the user, on a system, and says where it is.
func InstallFor(ctx context.Context, system string, out, notes io.Writer) error {
	home, _ := os.UserHomeDir()
	name, err := ScriptPath(system, home, os.Getenv)
	if err != nil {
		return err
	}
	if err := Install(ctx, name); err != nil {
		return err
	}
	if _, err := exec.LookPath("schemagen"); err != nil {
		fmt.Fprintln(notes, "schemagen: the plugin runs schemagen, which is not in PATH")
	}
	_, err = fmt.Fprintf(out, "wrote %s; use it with kubebuilder edit --plugins %s/%s\n", name, Name, Version)
	return err
}

// Install writes the script. It does not replace a file that it has not written.
func Install(ctx context.Context, name string) error {
	if head, err := os.ReadFile(name); err == nil && !strings.Contains(string(head), "schemagen kubebuilder-plugin") {
		return fmt.Errorf("%s exists, and was not written by schemagen", name)
	}
	writer := output.Writer{Root: output.Physical(filepath.Dir(name))}
	_, err := writer.Commit(ctx, []output.File{{Path: name, Data: []byte(script), Mode: 0o777}}, output.Write, io.Discard)
	return err
}
