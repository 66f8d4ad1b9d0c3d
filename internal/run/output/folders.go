package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// folders are the open directories of a change. They stay the same ones, whatever becomes of
// their paths.
type folders struct {
	// open has the open folders, by path.
	open map[string]*os.Root
	// made has the folders that were created, parents first.
	made []madeFolder
}

// madeFolder is a directory that was created in an open one.
type madeFolder struct {
	parent *os.Root
	name   string
}

// folder opens a physical directory, and creates it if it does not exist. base contains it, and
// is itself opened by its path: only the command line, or where it runs, leads there. Below
// base, no symlink is followed.
func (f *folders) folder(base, dir string) (*os.Root, error) {
	if folder, ok := f.open[dir]; ok {
		return folder, nil
	}
	parent := filepath.Dir(dir)
	if !IsBelow(base, parent) || dir == parent {
		folder, err := os.OpenRoot(dir)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || dir == parent {
			return f.keep(dir, folder, err)
		}
		base = parent
	}
	parentRoot, err := f.folder(base, parent)
	if err != nil {
		return nil, err
	}
	folder, err := f.child(parentRoot, filepath.Base(dir))
	return f.keep(dir, folder, err)
}

func (f *folders) keep(dir string, folder *os.Root, err error) (*os.Root, error) {
	if err != nil {
		return nil, err
	}
	f.open[dir] = folder
	return folder, nil
}

// child opens a directory in another one, which is not a symlink, or creates it.
func (f *folders) child(parent *os.Root, name string) (*os.Root, error) {
	info, err := parent.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = parent.Mkdir(name, 0o777)
		if err == nil {
			f.made = append(f.made, madeFolder{parent, name})
		} else if !errors.Is(err, fs.ErrExist) { // another process may have created it
			return nil, &fs.PathError{Op: "mkdir", Path: filepath.Join(parent.Name(), name), Err: errors.Unwrap(err)}
		}
		info, err = parent.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "mkdir", Path: filepath.Join(parent.Name(), name), Err: syscall.ENOTDIR}
	}
	folder, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := folder.Stat("."); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(err, folder.Close(), errors.New("a directory was replaced while schemagen ran"))
	}
	return folder, nil
}

// removeNew removes the directories that were created and are empty.
func (f *folders) removeNew() {
	for _, made := range slices.Backward(f.made) {
		// Fails if another process put a file there, which must stay.
		_ = made.parent.Remove(made.name)
	}
}

func (f *folders) close() {
	for _, folder := range f.open {
		_ = folder.Close() // it is open for reading only
	}
}
