// Applies a folder as a Flux Kustomization with `wait: true` does, with Flux's own resource manager and health checks,
// and prints what was changed and what the wait ended with.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/clusterreader"
	"github.com/fluxcd/cli-utils/pkg/kstatus/polling/engine"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"gitops-clients/internal/manifests"
)

const group = "kustomize.toolkit.fluxcd.io"

type change struct {
	Subject string `json:"subject"`
	Action  string `json:"action"`
}

type report struct {
	Changes []change `json:"changes"`
	// IsReady says whether everything became current before the timeout; Message says why not.
	IsReady bool   `json:"isReady"`
	Message string `json:"message,omitempty"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the cluster, and who applies")
	folder := flag.String("manifests", "", "the folder that is applied")
	checks := flag.String("health-checks", "", "a file with the healthCheckExprs of the Kustomization")
	timeout := flag.Duration("timeout", time.Second, "how long to wait for health")
	flag.Parse()
	reported, err := reconcile(*kubeconfig, *folder, *checks, *timeout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(reported); err != nil {
		os.Exit(1)
	}
}

func reconcile(kubeconfig, folder, checks string, timeout time.Duration) (*report, error) {
	manager, err := newManager(kubeconfig, checks)
	if err != nil {
		return nil, err
	}
	objects, err := manifests.Read(folder)
	if err != nil {
		return nil, err
	}
	if err := normalize.UnstructuredList(objects); err != nil {
		return nil, err
	}
	manager.SetOwnerLabels(objects, "virtualization", "flux-system")
	changed, err := manager.ApplyAllStaged(context.Background(), objects, applyOptions())
	if err != nil {
		return nil, err
	}
	reported := &report{Changes: []change{}, IsReady: true}
	for _, entry := range changed.Entries {
		reported.Changes = append(reported.Changes, change{Subject: entry.Subject, Action: entry.Action.String()})
	}
	wait := ssa.WaitOptions{Interval: 100 * time.Millisecond, Timeout: timeout, FailFast: true}
	if err := manager.WaitForSet(changed.ToObjMetadataSet(), wait); err != nil {
		reported.IsReady, reported.Message = false, err.Error()
	}
	return reported, nil
}

func newManager(kubeconfig, checks string) (*ssa.ResourceManager, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.UserAgent = "kustomize-controller"
	http, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	mapper, err := apiutil.NewDynamicRESTMapper(config, http)
	if err != nil {
		return nil, err
	}
	cluster, err := client.New(config, client.Options{Mapper: mapper, HTTPClient: http})
	if err != nil {
		return nil, err
	}
	newReader, err := readHealthChecks(checks)
	if err != nil {
		return nil, err
	}
	poller := polling.NewStatusPoller(cluster, mapper, polling.Options{
		CustomStatusReaders:  []engine.StatusReader{newReader(mapper)},
		ClusterReaderFactory: engine.ClusterReaderFactoryFunc(clusterreader.NewDirectClusterReader),
	})
	return ssa.NewResourceManager(cluster, poller, ssa.Owner{Field: "kustomize-controller", Group: group}), nil
}

func readHealthChecks(file string) (func(meta.RESTMapper) engine.StatusReader, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var spec struct {
		HealthCheckExprs []kustomize.CustomHealthCheck `json:"healthCheckExprs"`
	}
	if err := yaml.UnmarshalStrict(content, &spec); err != nil {
		return nil, err
	}
	return cel.NewStatusReader(spec.HealthCheckExprs)
}

// applyOptions are those with which kustomize-controller applies: it takes over from kubectl, and respects its annotations.
func applyOptions() ssa.ApplyOptions {
	options := ssa.DefaultApplyOptions()
	options.ExclusionSelector = map[string]string{group + "/reconcile": "disabled", group + "/ssa": "Ignore"}
	options.IfNotPresentSelector = map[string]string{group + "/ssa": "IfNotPresent"}
	options.ForceSelector = map[string]string{group + "/force": "Enabled"}
	options.Cleanup = ssa.ApplyCleanupOptions{
		Annotations: []string{corev1.LastAppliedConfigAnnotation},
		Labels:      []string{group + "/checksum"},
		FieldManagers: []ssa.FieldManager{
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "kustomize-controller", OperationType: metav1.ManagedFieldsOperationUpdate},
		},
		Exclusions: map[string]string{group + "/ssa": "Merge"},
	}
	return options
}
