package main

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// mistake is a mistake in a file of the project of [TestPlantedFixes]: a text that is
// replaced by another one.
type mistake struct{ file, right, wrong string }

// Files of the project.
const (
	widgetFile     = "api/apps/v1/widget_types.go"
	reportFile     = "api/batch/v1alpha1/report_types.go"
	cronFile       = "api/cron/v1/cronjob_types.go"
	cronGroupFile  = "api/cron/v1/groupversion_info.go"
	canvasFile     = "api/canvas/v1/canvas_types.go"
	controllerFile = "internal/controller/apps/widget_controller.go"
	metricsFile    = "internal/controller/batch/report_controller.go"
	webhookFile    = "internal/webhook/apps/v1/widget_webhook.go"
)

// plantedMistakes returns mistakes that each have one right correction.
func plantedMistakes() []mistake {
	return []mistake{
		// Names of markers.
		{widgetFile, "+kubebuilder:validation:Minimum=0", "+kubebuilder:validation:Minimun=0"},
		{widgetFile, "+kubebuilder:validation:Minimum=0", "+kubebuilder:validation:minimum=0"},
		{widgetFile, "+kubebuilder:validation:Minimum=0", "+kubebuilder:Minimum=0"},
		{widgetFile, "+kubebuilder:validation:Minimum=0", "+kubebuilder:validaton:Minimum=0"},
		{widgetFile, "+kubebuilder:validation:Minimum=0", "+kubebuidler:validation:Minimum=0"},
		{widgetFile, "+kubebuilder:default=1", "+kubebuilder:defualt=1"},
		{widgetFile, "+kubebuilder:validation:XValidation:rule", "+kubebuilder:validation:Xvalidation:rule"},
		{widgetFile, "+kubebuilder:subresource:scale:", "+kubebuilder:subresources:scale:"},
		{widgetFile, "+kubebuilder:printcolumn:name", "+kubebuilder:printcolum:name"},
		{widgetFile, "+kubebuilder:resource:shortName=wd", "+kubebuilder:resources:shortName=wd"},
		{widgetFile, "+listMapKey=type", "+listMapkey=type"},
		{widgetFile, "+listType=map", "+listtype=map"},
		{cronFile, "+kubebuilder:validation:MaxLength=100", "+kubebuilder:validation:MaxLenght=100"},
		{cronFile, "+kubebuilder:validation:MaxLength=100", "+kubebuilder:validation:MaxLength 100"},
		{cronFile, "+kubebuilder:validation:MinLength=1", "+kubebuilder:validation:MinLength:1"},
		{cronFile, "+kubebuilder:subresource:status", "+kubebuilder:subresource:staus"},
		{canvasFile, "+unionDiscriminator", "+unionDiscriminater"},
		{canvasFile, "+unionMember\n\t// +optional\n\tSolid", "+unionmember\n\t// +optional\n\tSolid"},
		{canvasFile, "+kubebuilder:validation:Pattern=", "+kubebuilder:validation:Patern="},
		// The form of markers.
		{widgetFile, "// +kubebuilder:validation:Minimum=0", "// + kubebuilder:validation:Minimum=0"},
		{widgetFile, "// +kubebuilder:validation:Minimum=0", "// kubebuilder:validation:Minimum=0"},
		{reportFile, "// +kubebuilder:resource:scope=Cluster", "// kubebuilder:resource:scope=Cluster"},
		{reportFile, "// +kubebuilder:resource:scope=Cluster", "// + kubebuilder:resource:scope=Cluster"},
		{canvasFile, "// +kubebuilder:validation:MinLength=1\n\tURL string `json:\"url\"`", "URL string `json:\"url\"` // +kubebuilder:validation:MinLength=1"},
		{widgetFile, "// +kubebuilder:validation:Minimum=0", "// +kubebuilder:validation:Minimum=1\n\t// +kubebuilder:validation:Minimum=0"},
		// Arguments of markers.
		{widgetFile, "shortName=wd", "shortname=wd"},
		{widgetFile, "categories=all", "category=all"},
		{widgetFile, "Minimum=0", "Minimum=\"0\""},
		{widgetFile, "specpath=", "specPath="},
		{widgetFile, "message=\"selector", "mesage=\"selector"},
		{widgetFile, "JSONPath=", "jsonPath="},
		{cronFile, "Enum=Allow;Forbid;Replace", "Enum=[Allow,Forbid,Replace]"},
		{reportFile, "+kubebuilder:default=Daily", "+kubebuilder:default:Daily"},
		{canvasFile, "Pattern=`^#[0-9a-f]{6}$`", "Pattern=`^#[0-9a-f]{6}$"},
		// Fields of columns, scales and lists.
		{widgetFile, "JSONPath=`.status.replicas`", "JSONPath=`.status.replcas`"},
		{widgetFile, "specpath=.spec.replicas", "specpath=.spec.replica"},
		{widgetFile, "JSONPath=`.status.replicas`", "JSONPath=`.staus.replicas`"},
		{cronFile, "JSONPath=`.spec.schedule`", "JSONPath=`.spec.Schedule`"},
		{canvasFile, "+listMapKey=name", "+listMapKey=nmae"},
		{cronFile, "+listMapKey=type", "+listMapKey=tpye"},
		// Tags and types.
		{cronFile, "`json:\"history,omitempty\"`", "`json:\"history,omitemtpy\"`"},
		{cronFile, "`json:\"suspend,omitempty\"`", "`json:\"suspend, omitempty\"`"},
		{cronFile, "`json:\"schedule\"`", "`yaml:\"schedule\"`"},
		{cronFile, "Template corev1.PodTemplateSpec `json:\"template\"`", "Template corev1.PodTemplateSpec"},
		{widgetFile, "metav1.TypeMeta `json:\",inline\"`\n\n\t// metadata", "metav1.TypeMeta `json:\"inline\"`\n\n\t// metadata"},
		{reportFile, "`json:\"widgets\"`", ""},
		// Presence.
		{widgetFile, "// +optional\n\tReplicas *int32", "// +optional\n\t// +required\n\tReplicas *int32"},
		// Permissions.
		{controllerFile, "verbs=get;update;patch", "verbs=get;udpate;patch"},
		{controllerFile, "verbs=get;list;watch", "verbs=get;list;Watch"},
		{controllerFile, "verbs=get;list;watch", "verbs=get,list;watch"},
		{controllerFile, "resources=widgets,", "resource=widgets,"},
		{controllerFile, "resources=widgets/status,", "resources=widget/status,"},
		{controllerFile, "groups=apps.example.com,resources=widgets,", "groups=apps.example.com resources=widgets,"},
		{controllerFile, "+kubebuilder:rbac:groups=\"\"", "+kubebuilder:rabc:groups=\"\""},
		{controllerFile, "// +kubebuilder:rbac:groups=\"\"", "// kubebuilder:rbac:groups=\"\""},
		{controllerFile, "verbs=get;list\n", "verbs=\"get;list\"\n"},
		{metricsFile, "urls=/metrics", "urls=metrics"},
		{metricsFile, "groups=batch.example.com,", "groups=batch.example.com/v1alpha1,"},
		// Webhooks.
		{webhookFile, "mutating=true,failurePolicy=fail", "mutating=true,failurePolicy=fial"},
		{webhookFile, "mutating=false,failurePolicy=fail,sideEffects=None", "mutating=false,failurePolicy=fail,sideEffects=Nnoe"},
		{webhookFile, "verbs=create;update,versions=v1,name=vwidget", "verbs=create;updtae,versions=v1,name=vwidget"},
		{webhookFile, "path=/validate-apps", "path=validate-apps"},
		{webhookFile, "versions=v1,name=mwidget", "versions=apps.example.com/v1,name=mwidget"},
		{webhookFile, "resources=widgets,verbs=create;update,versions=v1,name=mwidget", "resources=Widget,verbs=create;update,versions=v1,name=mwidget"},
		// schemagen.yaml.
		{"schemagen.yaml", "paths:", "path:"},
		{"schemagen.yaml", "outputs:", "output:"},
		{"schemagen.yaml", "  rbac:", "  rbacs:"},
		{"schemagen.yaml", "maxDescLen:", "maxDesclen:"},
		{"schemagen.yaml", "SG217: error", "sg217: error"},
		{"schemagen.yaml", "SG217: error", "SG217: eror"},
		{"schemagen.yaml", "[./api/...", "[api/..."},
	}
}

// TestPlantedFixes plants mistakes, one at a time, in a project of files of the examples, and
// runs with --fix. At least 55 of 60 are mended: there are no diagnostics, and the output is
// that of the project without the mistake. Where that is not so, nothing is harmed: the source
// has only the mistake.
func TestPlantedFixes(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOPROXY", "off")
	files := plantedProject(t)
	right := &kindExample{command: "schemagen rbac:roleName=manager-role crd webhook", files: files}
	var out string
	var want map[string]string
	t.Run("without", func(t *testing.T) { _, out, _, want = right.run(t) })
	if out != "" {
		t.Fatalf("the project has mistakes:\n%s", out)
	}
	mistakes := plantedMistakes()
	mended := 0
	for _, m := range mistakes {
		var before, after map[string]string
		t.Run(strings.Join(strings.Fields(m.wrong), " "), func(t *testing.T) {
			if strings.Count(files[m.file], m.right) == 0 {
				t.Fatalf("%s has no %q", m.file, m.right)
			}
			planted := &kindExample{command: right.command, files: maps.Clone(files)}
			planted.files[m.file] = strings.Replace(files[m.file], m.right, m.wrong, 1)
			t.Run("found", func(t *testing.T) { _, out, before, _ = planted.run(t) })
			if !diagnostics.MatchString(out) {
				t.Fatal("the mistake is not found")
			}
			planted.command += " --fix"
			_, out, _, after = planted.run(t)
			switch {
			case !diagnostics.MatchString(out) && equalOutputs(files, after, want):
				mended++
			case after[m.file] == before[m.file]:
				t.Logf("not mended:\n%s", out)
			default:
				t.Errorf("harmed:\n%s\n%s", out, after[m.file])
			}
		})
	}
	t.Logf("mended %d of %d", mended, len(mistakes))
	if mended*60 < 55*len(mistakes) {
		t.Errorf("only %d of %d mistakes are mended", mended, len(mistakes))
	}
}

// equalOutputs reports whether two runs wrote the same files; those of the project are not
// output.
func equalOutputs(project, got, want map[string]string) bool {
	for name, text := range want {
		if _, isSource := project[name]; !isSource && got[name] != text {
			return false
		}
	}
	return true
}

// plantedProject returns the files of a project with several groups, controllers, webhooks and
// a schemagen.yaml.
func plantedProject(t *testing.T) map[string]string {
	t.Helper()
	const examples = "../../examples"
	files := map[string]string{
		"schemagen.yaml": "paths: [./api/..., ./internal/...]\noutputs:\n  crd: config/crd/bases\n  rbac: config/rbac\n  webhook: config/webhook\ncrd:\n  maxDescLen: 80\n  embeddedObjectMeta: true\nseverities:\n  SG217: error\n",
	}
	for from, to := range map[string]string{
		"operator/api/apps/v1": "api/apps/v1", "operator/api/batch/v1alpha1": "api/batch/v1alpha1", "quickstart/api/v1": "api/cron/v1", "webhook/api/v1": "api/canvas/v1",
		"operator/internal/controller/apps": "internal/controller/apps", "operator/internal/controller/batch": "internal/controller/batch", "operator/internal/webhook/apps/v1": "internal/webhook/apps/v1",
	} {
		names, err := filepath.Glob(filepath.Join(examples, from, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no Go files in %s: %v", from, err)
		}
		for _, name := range names {
			base := filepath.Base(name)
			if strings.HasPrefix(base, "zz_") || strings.HasSuffix(base, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[path.Join(to, base)] = strings.ReplaceAll(strings.ReplaceAll(string(text), "github.com/schemagen/schemagen/examples/operator", "example.com/project"), "+groupName=batch.example.com\npackage v1\n", "+groupName=cron.example.com\npackage v1\n")
		}
	}
	return files
}
