// Command webhook serves the webhooks of examples/webhook and the conversions of
// examples/conversions on a loopback port, for the tests of module e2e. It is a separate module so that the requirements of controller-runtime do
// not determine the versions of the API server.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/schemagen/schemagen/examples/conversions"
	"github.com/schemagen/schemagen/examples/webhook"
	canvasv1 "github.com/schemagen/schemagen/examples/webhook/api/v1"
)

func main() {
	certificate := flag.String("certificate", "", "file with the certificate")
	key := flag.String("key", "", "file with its key")
	flag.Parse()
	if err := serve(*certificate, *key); err != nil {
		log.Fatal(err)
	}
}

// serve serves the webhooks, and prints its address once it listens.
func serve(certificate, key string) error {
	scheme := runtime.NewScheme()
	if err := canvasv1.AddToScheme(scheme); err != nil {
		return err
	}
	http.Handle("/mutate", admission.WithDefaulter[*canvasv1.Canvas](scheme, webhook.Canvas{}))
	http.Handle("/validate", admission.WithValidator[*canvasv1.Canvas](scheme, webhook.Canvas{}))
	convert, err := conversions.Handler()
	if err != nil {
		return err
	}
	http.Handle("/convert", convert)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.ServeTLS(listener, nil, certificate, key)
}
