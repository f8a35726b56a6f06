// Syncs a folder as an Argo CD application does, with Argo CD's own sync, diff and health code,
// and prints the sync status and the health of each object.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/tracing"
	"github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/argo"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"gitops-clients/internal/manifests"
)

const application = "virtualization"

type client struct {
	config    *rest.Config
	kubectl   *kube.KubectlCmd
	overrides map[string]v1alpha1.ResourceOverride
	// isServerSide is true for an application with the sync option ServerSideApply=true.
	isServerSide bool
}

type resource struct {
	Kind   string               `json:"kind"`
	Name   string               `json:"name"`
	Health *health.HealthStatus `json:"health,omitempty"`
	// Sync has a status for each way to compare that Argo CD offers.
	Sync map[string]string `json:"sync"`
}

type report struct {
	Operation *operation `json:"operation,omitempty"`
	Resources []resource `json:"resources"`
	// Differences are what Argo CD shows for objects that are out of sync.
	Differences []difference `json:"differences"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the cluster, and who applies")
	folder := flag.String("manifests", "", "the folder that is applied")
	script := flag.String("health-script", "", "the file with the Lua script for VirtPlatformConfigs")
	isServerSide := flag.Bool("server-side", false, "apply with ServerSideApply=true")
	doesSync := flag.Bool("sync", false, "apply before it is compared")
	flag.Parse()
	reported, err := refresh(*kubeconfig, *folder, *script, *isServerSide, *doesSync)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(reported); err != nil {
		os.Exit(1)
	}
}

func refresh(kubeconfig, folder, script string, isServerSide, doesSync bool) (*report, error) {
	argocd, err := newClient(kubeconfig, script, isServerSide)
	if err != nil {
		return nil, err
	}
	targets, err := readTargets(folder)
	if err != nil {
		return nil, err
	}
	reported := &report{Resources: []resource{}, Differences: []difference{}}
	if doesSync {
		if reported.Operation, err = argocd.sync(targets); err != nil {
			return nil, err
		}
	}
	lives, err := argocd.readLives(targets)
	if err != nil {
		return nil, err
	}
	for at, target := range targets {
		shown := resource{Kind: target.GetKind(), Name: target.GetName(), Sync: map[string]string{}}
		if lives[at] != nil {
			shown.Health, err = health.GetResourceHealth(lives[at], lua.ResourceHealthOverrides(argocd.overrides))
			if err != nil {
				return nil, err
			}
		}
		reported.Resources = append(reported.Resources, shown)
	}
	return reported, argocd.compare(targets, lives, reported)
}

func newClient(kubeconfig, script string, isServerSide bool) (*client, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.UserAgent = "argocd-application-controller"
	lua, err := os.ReadFile(script)
	if err != nil {
		return nil, err
	}
	return &client{
		config:       config,
		kubectl:      &kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}},
		overrides:    map[string]v1alpha1.ResourceOverride{"advisor.kubevirt.io/VirtPlatformConfig": {HealthLua: string(lua)}},
		isServerSide: isServerSide,
	}, nil
}

// readTargets marks the objects of the folder as those of the application, by annotation, as Argo CD 3 does.
func readTargets(folder string) ([]*unstructured.Unstructured, error) {
	targets, err := manifests.Read(folder)
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		err := argo.NewResourceTracking().SetAppInstance(
			target, common.LabelKeyAppInstance, application, "openshift-gitops", v1alpha1.TrackingMethodAnnotation, "")
		if err != nil {
			return nil, err
		}
	}
	return targets, nil
}

// readLives has nil where there is no object.
func (c *client) readLives(targets []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	lives := make([]*unstructured.Unstructured, len(targets))
	for at, target := range targets {
		live, err := c.kubectl.GetResource(
			context.Background(), c.config, target.GroupVersionKind(), target.GetName(), target.GetNamespace())
		switch {
		case err == nil:
			lives[at] = live
		case !apierrors.IsNotFound(err):
			return nil, err
		}
	}
	return lives, nil
}
