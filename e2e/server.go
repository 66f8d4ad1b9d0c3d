package e2e

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options configure a server. The zero value is the default.
type Options struct {
	// Cache is the directory in which the directory of the run is created. The latter is
	// removed when the server stops or, if that fails, by the next start.
	Cache string
	// Port returns a free port of the loopback interface; nil lets the kernel choose one.
	Port func() (int, error)
	// StartTimeout is the time without a response after which an attempt to start is
	// canceled; 0 means idleLimit.
	StartTimeout time.Duration
}

// Server is a running etcd and kube-apiserver.
type Server struct {
	// Programs is the directory of the binaries, Version the Kubernetes version.
	Programs, Version string
	// URL is https://127.0.0.1:PORT.
	URL string

	etcdURL         string
	dir             string // the directory of this run
	unlock          func() // releases the lock on dir
	client          *http.Client
	etcd, apiserver *process
}

const (
	bearer        = "e2e-administrator"
	startAttempts = 3
	stopGrace     = 5 * time.Second
)

// Start runs the programs in a directory and returns when the server is ready. If another
// process takes a port between its choice and its use, Start tries again.
func Start(ctx context.Context, programs, version string, options Options) (*Server, error) {
	if options.Port == nil {
		options.Port = freePort
	}
	if options.StartTimeout == 0 {
		options.StartTimeout = idleLimit
	}
	runs := filepath.Join(options.Cache, "runs")
	if err := sweep(runs); err != nil {
		return nil, err
	}
	var errs []error
	for range startAttempts {
		s, err := startOnce(ctx, runs, programs, version, options)
		if err == nil {
			return s, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil || !strings.Contains(err.Error(), "address already in use") {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// sweep removes the directories of runs that were killed: their locks are free.
func sweep(runs string) error {
	if err := os.MkdirAll(runs, 0o755); err != nil {
		return err
	}
	// A directory that a concurrent start creates at this moment is not locked yet.
	unlockRuns, err := lock(filepath.Join(runs, ".lock"))
	if err != nil {
		return err
	}
	defer unlockRuns()
	dirs, err := filepath.Glob(filepath.Join(runs, "run-*"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if unlock, free := tryLock(filepath.Join(dir, "lock")); free {
			err := os.RemoveAll(dir)
			unlock()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// startOnce makes one attempt.
func startOnce(ctx context.Context, runs, programs, version string, options Options) (*Server, error) {
	ctx, cancel := whileProgressing(ctx, options.StartTimeout)
	defer cancel()
	s := &Server{Programs: programs, Version: version}
	err := s.makeFolder(runs)
	if err == nil {
		err = s.startProcesses(options)
	}
	if err == nil {
		err = s.waitReady(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// startProcesses starts etcd and the API server, which waits for etcd.
func (s *Server) startProcesses(options Options) error {
	var ports [3]int
	for i := range ports {
		port, err := options.Port()
		if err != nil {
			return err
		}
		ports[i] = port
	}
	etcd, peer, secure := local("http", ports[0]), local("http", ports[1]), local("https", ports[2])
	var err error
	s.etcd, err = startProcess(s.log("etcd"), filepath.Join(s.Programs, "etcd"),
		"--data-dir", filepath.Join(s.dir, "etcd"),
		"--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer,
		"--unsafe-no-fsync", "--log-level", "error")
	if err != nil {
		return err
	}
	s.URL, s.etcdURL = secure, etcd
	s.apiserver, err = startProcess(s.log("kube-apiserver"), filepath.Join(s.Programs, "kube-apiserver"),
		"--etcd-servers", etcd,
		"--cert-dir", filepath.Join(s.dir, "certs"),
		"--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
		"--secure-port", fmt.Sprint(ports[2]),
		"--endpoint-reconciler-type", "none",
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-signing-key-file", filepath.Join(s.dir, "sa.key"),
		"--service-account-key-file", filepath.Join(s.dir, "sa.key"),
		"--service-cluster-ip-range", "10.0.0.0/24",
		"--authorization-mode", "RBAC",
		"--token-auth-file", filepath.Join(s.dir, "tokens.csv"),
		// No controller creates service accounts here.
		"--disable-admission-plugins", "ServiceAccount",
		"--enable-priority-and-fairness=false")
	return err
}

func local(scheme string, port int) string { return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port) }

// makeFolder creates the directory of the run with the files that the server reads.
func (s *Server) makeFolder(runs string) error {
	// A concurrent start must not remove the directory before it is locked.
	unlockRuns, err := lock(filepath.Join(runs, ".lock"))
	if err != nil {
		return err
	}
	defer unlockRuns()
	if s.dir, err = os.MkdirTemp(runs, "run-"); err != nil {
		return err
	}
	if s.unlock, err = lock(filepath.Join(s.dir, "lock")); err != nil {
		return err
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(filepath.Join(s.dir, "sa.key"), text, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "tokens.csv"), []byte(bearer+",e2e,e2e,system:masters\n"), 0o600)
}

func (s *Server) log(name string) string { return filepath.Join(s.dir, name+".log") }

// waitReady waits until the server reports that it is ready.
func (s *Server) waitReady(ctx context.Context) error {
	for poll := (poller{maxPolls: 10 * pollLimit, maxInterval: 50 * time.Millisecond}); ; {
		var last error
		for _, p := range []*process{s.etcd, s.apiserver} {
			if err := p.ended(); err != nil {
				return fmt.Errorf("%w; %s", err, p.tail())
			}
		}
		if err := s.trust(); err != nil {
			last = err
		} else if a, err := s.Do(ctx, "GET", "/readyz", "", nil); err != nil {
			last = err
		} else if a.Code == http.StatusOK {
			return s.writeKubeconfig()
		} else {
			last = fmt.Errorf("%s", a.Body)
		}
		if late := poll.next(ctx); late != nil {
			return fmt.Errorf("kube-apiserver is not ready: %w; its last answer: %w; %s", late, last, s.apiserver.tail())
		}
	}
}

func (s *Server) certificate() string { return filepath.Join(s.dir, "certs", "apiserver.crt") }

// trust creates a client that trusts the certificate generated by the server.
func (s *Server) trust() error {
	if s.client != nil {
		return nil
	}
	text, err := os.ReadFile(s.certificate())
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return fmt.Errorf("%s is not complete", s.certificate())
	}
	s.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots},
		MaxIdleConnsPerHost: 16,
	}}
	return nil
}

// Ended returns nil while both processes run, and then an error about the one that has ended.
func (s *Server) Ended() error {
	for _, p := range []*process{s.etcd, s.apiserver} {
		if p == nil {
			continue
		}
		if err := p.ended(); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends the API server and then etcd, and removes the directory of the run.
func (s *Server) Stop() error {
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
	for _, p := range []*process{s.apiserver, s.etcd} {
		if p != nil {
			p.stop(stopGrace)
		}
	}
	err := os.RemoveAll(s.dir)
	if s.unlock != nil {
		s.unlock()
	}
	return err
}

// KeepLogs copies the logs to a directory, replacing those of an earlier run.
func (s *Server) KeepLogs(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"etcd", "kube-apiserver"} {
		data, err := os.ReadFile(s.log(name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".log"), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// freePort returns a free port of the loopback interface.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("no free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
