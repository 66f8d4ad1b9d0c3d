package ginkgo_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/dryrun/crdtest"
	"github.com/schemagen/schemagen/examples/api/widget"
)

func TestWidget(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Widget")
}

var _ = It("passes the suites of the types", func() {
	crdtest.Run(GinkgoT(), "../widget", "../testdata/*.testsuite.yaml")
})

var _ = It("is rejected if it is too large", func(ctx SpecContext) {
	definitions, err := crd.Read("../testdata/new.yaml")
	Expect(err).NotTo(HaveOccurred())
	object, err := dryrun.NewObject(widget.Widget{
		TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"}, Spec: widget.WidgetSpec{Size: 11},
	})
	Expect(err).NotTo(HaveOccurred())
	result, err := dryrun.New(definitions...).Try(ctx, object)
	Expect(err).NotTo(HaveOccurred())
	Expect(result.Action).To(Equal(dryrun.Rejected))
})
