// How Argo CD applies: one sync operation of gitops-engine.

package main

import (
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type operation struct {
	Phase   string   `json:"phase"`
	Message string   `json:"message"`
	Results []string `json:"results"`
}

// sync applies all objects, whether they are out of sync or not.
func (c *client) sync(targets []*unstructured.Unstructured) (*operation, error) {
	lives, err := c.readLives(targets)
	if err != nil {
		return nil, err
	}
	context, cleanup, err := sync.NewSyncContext(
		"HEAD",
		sync.ReconciliationResult{Target: targets, Live: lives},
		c.config, c.config, c.kubectl, "",
		sync.WithLogr(logr.Discard()),
		sync.WithHealthOverride(lua.ResourceHealthOverrides(c.overrides)),
		sync.WithServerSideApply(c.isServerSide),
		sync.WithServerSideApplyManager(common.ArgoCDSSAManager),
	)
	if err != nil {
		return nil, err
	}
	defer cleanup()
	// One step is enough where there are no hooks and waves: what follows it is waiting for health.
	context.Sync()
	phase, message, results := context.GetState()
	done := &operation{Phase: string(phase), Message: message, Results: []string{}}
	for _, result := range results {
		done.Results = append(done.Results, string(result.Status)+": "+result.Message)
	}
	return done, nil
}
