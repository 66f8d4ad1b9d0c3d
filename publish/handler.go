package publish

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"sync"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"github.com/munnerz/goautoneg"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// Media types of the documents. kubectl requests OpenAPI v2 with a name that contains @,
// but the response uses the one without (RegisterOpenAPIVersionedService of kube-openapi).
const (
	mediaJSON          = "application/json"
	mediaProtobuf      = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	mediaProtobufAsked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
)

// handler serves responses from memory.
type handler struct {
	// pages are the served representations by path, the default first.
	pages map[string][]*representation
}

// representation is a document in a media type.
type representation struct {
	media string
	// accepted are the media types by which it can be requested; if empty, it is always
	// served.
	accepted []string
	// hash returns the hash of the document, which does not depend on the media type.
	hash func() string
	// hashed is set if the URL of the document contains its hash.
	hashed bool
	// plain and packed, which is compressed with gzip, are made on demand.
	plain, packed func() ([]byte, error)
}

// NewHandler returns a handler that serves what kubectl needs to explain, validate and
// create custom resources without a server: the documents at /openapi, and discovery (/api,
// /apis, /version) of the resources. It serves no objects and changes nothing. Responses
// are held in memory; the body of a request is not read. An error is a bug in this package.
func NewHandler(resources []*Resource, documents []Document) (http.Handler, error) {
	h := &handler{pages: map[string][]*representation{}}
	for _, d := range documents {
		hash := sync.OnceValue(func() string { return hashOf(d.Data) })
		text := newRepresentation(mediaJSON, hash, func() ([]byte, error) { return d.Data, nil })
		text.accepted = []string{mediaJSON}
		text.hashed = d.Path != "v2" && d.Path != "v3"
		page := []*representation{text}
		if d.protobuf != nil {
			protobuf := newRepresentation(mediaProtobuf, hash, d.protobuf)
			protobuf.accepted = []string{mediaProtobufAsked, mediaProtobuf}
			page = append(page, protobuf)
		}
		h.pages["/openapi/"+d.Path] = page
	}
	for path, value := range discovery(resources) {
		data, err := marshal(value)
		if err != nil {
			return nil, err
		}
		hash := hashOf(data)
		h.pages[path] = []*representation{newRepresentation(mediaJSON, func() string { return hash },
			func() ([]byte, error) { return data, nil })}
	}
	return h, nil
}

func newRepresentation(media string, hash func() string, plain func() ([]byte, error)) *representation {
	return &representation{media: media, hash: hash, plain: plain,
		packed: sync.OnceValues(func() ([]byte, error) {
			data, err := plain()
			if err != nil {
				return nil, err
			}
			return pack(data)
		})}
}

// etag returns an ETag that distinguishes contents and media types, because caches use the
// URL as key.
func (a *representation) etag() string {
	if a.media == mediaJSON {
		return `"` + a.hash() + `"`
	}
	return `"` + a.hash() + `-protobuf"`
}

func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// toProtobuf converts an OpenAPI v2 document (ToProtoBinary of kube-openapi).
func toProtobuf(document []byte) ([]byte, error) {
	parsed, err := openapi_v2.ParseDocument(document)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI v2 as protobuf: %w", err)
	}
	return proto.Marshal(parsed)
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // the body is not read
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		reject(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "only GET is supported: this server has documents but no objects; use kubectl with --dry-run=client")
		return
	}
	if r.URL.RawPath != "" {
		reject(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "escaped paths are not supported")
		return
	}
	page, known := h.pages[r.URL.Path]
	if !known {
		// kubectl apply also expects this response if an object does not exist.
		reject(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("%.200q not found: this server has documents but no objects", r.URL.Path))
		return
	}
	w.Header().Set("Vary", "Accept, Accept-Encoding")
	answer := accepted(page, r.Header.Get("Accept"))
	if answer == nil {
		reject(w, http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, "only available as "+page[0].media)
		return
	}
	answer.write(w, r)
}

// write writes the response.
func (a *representation) write(w http.ResponseWriter, r *http.Request) {
	if asked := r.URL.Query().Get("hash"); asked != "" && a.hashed {
		if asked != a.hash() {
			http.Redirect(w, r, r.URL.Path+"?hash="+a.hash(), http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Cache-Control", "public, immutable")
	}
	w.Header().Set("ETag", a.etag())
	w.Header().Set("Content-Type", a.media)
	if matches(r.Header.Get("If-None-Match"), a.etag()) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if wantsGzip(r.Header.Get("Accept-Encoding")) {
		body = a.packed
		w.Header().Set("Content-Encoding", "gzip")
	}
	data, err := body()
	if err != nil {
		w.Header().Del("Content-Encoding")
		w.Header().Del("ETag")
		reject(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, err.Error())
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(data) // an error means that the client has disconnected
	}
}

// accepted returns the representation that an Accept header prefers, or nil.
func accepted(page []*representation, header string) *representation {
	if header == "" || len(page[0].accepted) == 0 {
		return page[0]
	}
	for _, clause := range goautoneg.ParseAccept(header) {
		for _, a := range page {
			for _, media := range a.accepted {
				kind, sub, _ := strings.Cut(media, "/")
				if (clause.Type == kind || clause.Type == "*") && (clause.SubType == sub || clause.SubType == "*") && clause.Q > 0 {
					return a
				}
			}
		}
	}
	return nil
}

// matches reports whether an If-None-Match header contains the tag.
func matches(header, etag string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

// wantsGzip reports whether an Accept-Encoding header accepts gzip.
func wantsGzip(header string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			quality = strings.ReplaceAll(quality, " ", "")
			return !strings.HasPrefix(quality, "q=0") || strings.ContainsAny(quality[len("q=0"):], "123456789")
		}
	}
	return false
}

// reject responds with a metav1.Status like an API server, so that kubectl shows the
// message.
func reject(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	status := metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Message: message, Reason: reason, Code: int32(code)}
	data, _ := plainjson.Marshal(status) // strings and a number
	w.Header().Set("Content-Type", mediaJSON)
	w.WriteHeader(code)
	_, _ = w.Write(data)
}
