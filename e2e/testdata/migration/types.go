// Package v1 has kinds around the types of Kubernetes which KEP-1027 names as the
// first to migrate. Without the lines of markers of unions it is what was there
// before.
//
// +groupName=migration.test
// +versionName=v1
// +schemagen:unions=cel
package v1

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Autoscaler has the unions of a HorizontalPodAutoscaler, in atomic lists.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Autoscaler struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   AutoscalerSpec   `json:"spec"`
	Status AutoscalerStatus `json:"status,omitempty"`
}

type AutoscalerSpec struct {
	MaxReplicas int32 `json:"maxReplicas"`
	// +listType=atomic
	// +optional
	Metrics []MetricSpec `json:"metrics,omitempty"`
}

type AutoscalerStatus struct {
	// +optional
	DesiredReplicas int32 `json:"desiredReplicas,omitempty"`
	// +listType=atomic
	// +optional
	CurrentMetrics []MetricStatus `json:"currentMetrics,omitempty"`
}

// MetricSourceType is that of k8s.io/api/autoscaling/v2.
//
// +enum
type MetricSourceType string

const (
	ObjectMetricSourceType            MetricSourceType = "Object"
	PodsMetricSourceType              MetricSourceType = "Pods"
	ResourceMetricSourceType          MetricSourceType = "Resource"
	ContainerResourceMetricSourceType MetricSourceType = "ContainerResource"
	ExternalMetricSourceType          MetricSourceType = "External"
)

// MetricSpec is that of k8s.io/api/autoscaling/v2.
type MetricSpec struct {
	// +unionDiscriminator
	Type MetricSourceType `json:"type"`
	// +unionMember
	// +optional
	Object *autoscalingv2.ObjectMetricSource `json:"object,omitempty"`
	// +unionMember
	// +optional
	Pods *autoscalingv2.PodsMetricSource `json:"pods,omitempty"`
	// +unionMember
	// +optional
	Resource *autoscalingv2.ResourceMetricSource `json:"resource,omitempty"`
	// +unionMember
	// +optional
	ContainerResource *autoscalingv2.ContainerResourceMetricSource `json:"containerResource,omitempty"`
	// +unionMember
	// +optional
	External *autoscalingv2.ExternalMetricSource `json:"external,omitempty"`
}

// MetricStatus is that of k8s.io/api/autoscaling/v2.
type MetricStatus struct {
	// +unionDiscriminator
	Type MetricSourceType `json:"type"`
	// +unionMember
	// +optional
	Object *autoscalingv2.ObjectMetricStatus `json:"object,omitempty"`
	// +unionMember
	// +optional
	Pods *autoscalingv2.PodsMetricStatus `json:"pods,omitempty"`
	// +unionMember
	// +optional
	Resource *autoscalingv2.ResourceMetricStatus `json:"resource,omitempty"`
	// +unionMember
	// +optional
	ContainerResource *autoscalingv2.ContainerResourceMetricStatus `json:"containerResource,omitempty"`
	// +unionMember
	// +optional
	External *autoscalingv2.ExternalMetricStatus `json:"external,omitempty"`
}

// Deployer has the union of a Deployment.
//
// +kubebuilder:object:root=true
type Deployer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DeployerSpec `json:"spec"`
}

type DeployerSpec struct {
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// +optional
	Strategy DeploymentStrategy `json:"strategy,omitempty"`
}

// DeploymentStrategyType is that of k8s.io/api/apps/v1.
//
// +enum
type DeploymentStrategyType string

const (
	RecreateDeploymentStrategyType      DeploymentStrategyType = "Recreate"
	RollingUpdateDeploymentStrategyType DeploymentStrategyType = "RollingUpdate"
)

// DeploymentStrategy is that of k8s.io/api/apps/v1: Recreate selects no member, and
// RollingUpdate, the default, may go without its parameters.
type DeploymentStrategy struct {
	// +unionDiscriminator
	// +default="RollingUpdate"
	// +optional
	Type DeploymentStrategyType `json:"type,omitempty"`
	// +unionMember,optional
	// +optional
	RollingUpdate *appsv1.RollingUpdateDeployment `json:"rollingUpdate,omitempty"`
}

// Box has the unions of a Pod's status, which have no discriminator.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Box struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Status BoxStatus `json:"status,omitempty"`
}

type BoxStatus struct {
	// +optional
	Phase string `json:"phase,omitempty"`
	// +listType=map
	// +listMapKey=name
	// +optional
	ContainerStatuses []ContainerStatus `json:"containerStatuses,omitempty"`
}

type ContainerStatus struct {
	Name string `json:"name"`
	// +optional
	Ready bool `json:"ready,omitempty"`
	// +optional
	State ContainerState `json:"state,omitempty"`
	// +optional
	Last StateWithType `json:"last,omitempty"`
}

// ContainerState is that of k8s.io/api/core/v1: without any member it is waiting.
type ContainerState struct {
	// +k8s:zeroOrOneOfMember(union: "state")
	// +optional
	Waiting *corev1.ContainerStateWaiting `json:"waiting,omitempty"`
	// +k8s:zeroOrOneOfMember(union: "state")
	// +optional
	Running *corev1.ContainerStateRunning `json:"running,omitempty"`
	// +k8s:zeroOrOneOfMember(union: "state")
	// +optional
	Terminated *corev1.ContainerStateTerminated `json:"terminated,omitempty"`
}

// StateType selects a member of StateWithType.
//
// +enum
type StateType string

const (
	StateUnknown    StateType = ""
	StateWaiting    StateType = "Waiting"
	StateRunning    StateType = "Running"
	StateTerminated StateType = "Terminated"
)

// StateWithType is ContainerState with a discriminator added, as the KEP wants of
// every union. What was stored without it selects nothing.
type StateWithType struct {
	// +unionDiscriminator
	// +optional
	Type StateType `json:"type,omitempty"`
	// +unionMember
	// +optional
	Waiting *corev1.ContainerStateWaiting `json:"waiting,omitempty"`
	// +unionMember
	// +optional
	Running *corev1.ContainerStateRunning `json:"running,omitempty"`
	// +unionMember
	// +optional
	Terminated *corev1.ContainerStateTerminated `json:"terminated,omitempty"`
}

// Keeper has unions whose discriminators were added as the KEP's rules for markers have
// it: required, or with a default.
//
// +kubebuilder:object:root=true
type Keeper struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec KeeperSpec `json:"spec"`
}

type KeeperSpec struct {
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// +optional
	Source *Source `json:"source,omitempty"`
	// The default does not get the one inside of it before rules are evaluated.
	//
	// +default={}
	// +optional
	Method Method `json:"method,omitzero"`
}

// SourceType selects a member of Source.
//
// +enum
type SourceType string

const (
	SourceGit   SourceType = "Git"
	SourceImage SourceType = "Image"
)

// Source has a required discriminator.
type Source struct {
	// +unionDiscriminator
	Type SourceType `json:"type"` // added
	// +unionMember
	// +optional
	Git *Place `json:"git,omitempty"`
	// +unionMember
	// +optional
	Image *Place `json:"image,omitempty"`
}

// MethodType selects a member of Method.
//
// +enum
type MethodType string

const (
	MethodFast MethodType = "Fast"
	MethodSlow MethodType = "Slow"
)

// Method has a discriminator with a default.
type Method struct {
	// +unionDiscriminator
	// +default="Fast"
	// +optional
	Type MethodType `json:"type,omitempty"` // added
	// +unionMember,optional
	// +optional
	Fast *Place `json:"fast,omitempty"`
	// +unionMember
	// +optional
	Slow *Place `json:"slow,omitempty"`
}

// Place is what the members hold.
type Place struct {
	// +optional
	URL string `json:"url,omitempty"`
}
