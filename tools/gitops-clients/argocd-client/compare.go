// How Argo CD compares: with its normalizers, in the ways that an application can be configured for.

package main

import (
	"encoding/json"
	"fmt"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	argodiff "github.com/argoproj/argo-cd/v3/util/argo/diff"
	"github.com/argoproj/argo-cd/v3/util/argo/normalizers"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type difference struct {
	Name      string          `json:"name"`
	Way       string          `json:"way"`
	Live      json.RawMessage `json:"live"`
	Predicted json.RawMessage `json:"predicted"`
}

// compare fills in the sync status of each object: by the way that goes with how the application applies,
// and by the server's dry run, which an administrator can switch on for either.
func (c *client) compare(targets, lives []*unstructured.Unstructured, reported *report) error {
	_, parser, err := c.kubectl.LoadOpenAPISchema(c.config)
	if err != nil {
		return err
	}
	applier, cleanup, err := c.kubectl.ManageServerSideDiffDryRuns(c.config)
	if err != nil {
		return err
	}
	defer cleanup()
	build := func() *argodiff.DiffConfigBuilder {
		return argodiff.NewDiffConfigBuilder().
			WithDiffSettings(nil, c.overrides, true, normalizers.IgnoreNormalizerOpts{}).
			WithTracking(common.LabelKeyAppInstance, string(v1alpha1.TrackingMethodAnnotation)).
			WithNoCache().
			WithLogger(logr.Discard()).
			WithGVKParser(parser).
			WithManager(common.ArgoCDSSAManager)
	}
	ways := map[string]*argodiff.DiffConfigBuilder{
		"serverSide": build().WithServerSideDiff(true).WithServerSideDryRunner(diff.NewK8sServerSideDryRunner(applier)),
	}
	if c.isServerSide {
		ways["structuredMerge"] = build().WithStructuredMergeDiff(true)
	} else {
		ways["threeWay"] = build()
	}
	for way, builder := range ways {
		config, err := builder.Build()
		if err != nil {
			return err
		}
		for at, target := range targets {
			found, err := argodiff.StateDiff(lives[at], target, config)
			if err != nil {
				return fmt.Errorf("cannot compare %s (%s): %w", target.GetName(), way, err)
			}
			status := v1alpha1.SyncStatusCodeSynced
			if found.Modified || lives[at] == nil {
				status = v1alpha1.SyncStatusCodeOutOfSync
				reported.Differences = append(reported.Differences,
					difference{Name: target.GetName(), Way: way, Live: found.NormalizedLive, Predicted: found.PredictedLive})
			}
			reported.Resources[at].Sync[way] = string(status)
		}
	}
	return nil
}
