# All commands of this project, which CI runs too. `make help` lists them.

SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# Node 24 and all tools come from the lock file, regardless of the machine's Node.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# Makes downloads use HTTPS_PROXY.
export NODE_USE_ENV_PROXY := 1
# Caches compiled code between runs of a program.
export NODE_COMPILE_CACHE := $(CURDIR)/.make/compile-cache
NODE := node_modules/.bin/node
INSTALLED := node_modules/.package-lock.json
PEER := bench/client-node/node_modules/.package-lock.json
OLDEST_NODE := tools/oldest-node/node_modules/.package-lock.json
TALLY := .make/tally
BUILT := .make/built
PRINT_TALLY = cat $(TALLY) 2>/dev/null || echo "0 passed, 1 failed"
DEPLOY = $(NODE) tools/deploy/main.ts $@
NO_CONTEXT_FLAG = $(if $(NO_CONTEXT),--no-context)
# The input of render and explain: a file, or by default the cluster of kubectl's context.
PREVIEWED = $(if $(HCO),--hco-file=$(HCO))
TRACED = $(if $(FUNCTIONS),.functions)

##@ General

.PHONY: help
help: ## List the commands
	@awk 'BEGIN { FS = ":.*## "; print "usage: make <command>" } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: clean
clean: ## Remove build and test output; keeps installed packages, committed files and the cached control plane
	find dist -mindepth 1 -maxdepth 1 ! -name install.yaml ! -name chart -exec rm -rf {} +
	rm -rf .make

##@ Development

.PHONY: build
build: $(INSTALLED) ## Bundle each app into one file under dist/, with licenses and a bill of materials
	@mkdir -p .make; started=$$(mktemp .make/building-XXXXXX); \
	  if tools/step "build" $(NODE) tools/build.ts; then mv $$started $(BUILT); else rm -f $$started; exit 1; fi

# Builds only if a source has changed since the last build.
.PHONY: built
built: $(INSTALLED)
	@[ -e dist/kubectl-virt_advisor ] && [ -e $(BUILT) ] && [ -z "$$(find apps packages catalog tools package-lock.json \
	  -name node_modules -prune -o -newer $(BUILT) -print -quit)" ] || $(MAKE) build

.PHONY: generate
generate: $(INSTALLED) ## Regenerate the generated files
	@tools/step "generate" $(NODE) tools/generate/main.ts

.PHONY: format
format: $(INSTALLED) ## Format the sources
	@tools/step "format" biome check --write --log-level=warn .

.PHONY: controlplane
controlplane: $(INSTALLED) ## Get kube-apiserver, etcd and kubectl; prints their folder on the last line
	@$(NODE) tools/controlplane/main.ts

.PHONY: controller-manager
controller-manager: $(INSTALLED) ## Get kube-controller-manager for installation tests; prints its path on the last line
	@$(NODE) tools/controlplane/controller-manager.ts

##@ Try it

.PHONY: demo
demo: export DEMO_STARTED := $(shell date +%s.%N)
demo: controlplane built ## Start a simulated cluster with both controllers and the console; SCENARIO=help lists the scenarios, SPEED=, CHECK=1 runs unattended
	@$(NODE) tools/demo/main.ts

.PHONY: demo-scenarios
demo-scenarios: controlplane build ## Run every demo scenario unattended (10 minutes)
	@CHECK=1 SCENARIO=all $(NODE) tools/demo/main.ts

.PHONY: screenshots
screenshots: controlplane test-tools build ## Capture every console page in both themes and three widths, and record the main journey in a terminal, in dist/screenshots
	@$(NODE) tools/console/screenshots.ts
	@$(NODE) tools/console/record-journey.ts

.PHONY: dev-setup
dev-setup: controlplane build ## Start a simulated cluster and use it as kubectl context virt-dev; NO_CONTEXT=1 does not change the context
	@$(NODE) tools/dev/setup.ts $(NO_CONTEXT_FLAG)

.PHONY: run
run: $(INSTALLED) ## Run the operator from source against that cluster, or CONTEXT=; YES=1 accepts any current context; FLAGS= adds flags
	@$(NODE) tools/dev/run.ts

.PHONY: render
render: $(INSTALLED) ## Show what the platform controller would apply to the current cluster or to HCO=<file>; ASSET=, FLAGS=
	@$(NODE) apps/operator/src/main.ts render $(PREVIEWED) $(if $(ASSET),--asset=$(ASSET)) $(FLAGS)

.PHONY: explain
explain: $(INSTALLED) ## Explain why ASSET= is applied there or not; FLAGS=
	@$(NODE) apps/operator/src/main.ts explain $(ASSET) $(PREVIEWED) $(FLAGS)

.PHONY: kind-setup
kind-setup: controlplane build ## Create a Kind cluster with CRDs and a mock HyperConverged as context virt-dev; same as dev-setup if Kind is missing; NO_CONTEXT=1
	@$(DEPLOY) $(NO_CONTEXT_FLAG)

.PHONY: kind-delete
kind-delete: $(INSTALLED) ## Delete the cluster of kind-setup or dev-setup, and restore the kubectl context
	@$(NODE) tools/dev/delete.ts

.PHONY: deploy-local
deploy-local: build ## Deploy the current sources to that cluster; OVERLAY=
	@$(DEPLOY)

.PHONY: redeploy-local
redeploy-local: deploy-local ## Deploy again after a change

.PHONY: logs-local
logs-local: $(INSTALLED) ## Show the operator logs of deploy-local
	@$(DEPLOY)

.PHONY: dev-cycle
dev-cycle: ## Format, test and redeploy
	@$(MAKE) format
	@$(MAKE) test
	@$(MAKE) redeploy-local

##@ Deployment to the current kubectl context

.PHONY: install
install: $(INSTALLED) ## Install the CRD
	@$(DEPLOY)

.PHONY: uninstall
uninstall: $(INSTALLED) ## Remove the CRD; lists the configs that are deleted with it
	@$(DEPLOY)

.PHONY: deploy
deploy: $(INSTALLED) ## Deploy the operators and wait until they are running; IMG=<image>, OVERLAY=default|advisor|platform|example-profile, WAIT=<seconds>
	@$(DEPLOY)

.PHONY: undeploy
undeploy: $(INSTALLED) ## Remove the operators; keeps and lists the CRD, configs and applied objects; OVERLAY=
	@$(DEPLOY)

.PHONY: docker-build
docker-build: $(INSTALLED) ## Build the image; IMG=, CONTAINER_TOOL=podman|docker, BASE= and BUILDER= (default: base-images.json)
	@$(DEPLOY)

.PHONY: base-images
base-images: $(INSTALLED) ## Pin the base images in base-images.json to their current digests; requires skopeo
	@$(DEPLOY)

.PHONY: image
image: build ## Build dist/image.tar for all platforms from Debian and Node packages, without a container engine; prints its digest on the last line
	@$(NODE) tools/image/main.ts

.PHONY: docker-push
docker-push: $(INSTALLED) ## Push the image; IMG=
	@$(DEPLOY)

.PHONY: docker-buildx
docker-buildx: $(INSTALLED) ## Build and push the image for several platforms; IMG=, PLATFORMS=
	@$(DEPLOY)

##@ Packages from the manifests in config/

.PHONY: packages
packages: controlplane ## Regenerate all packages below
	@tools/step "packages" $(NODE) tools/package/main.ts

.PHONY: build-installer
build-installer: controlplane ## Write dist/install.yaml with both controllers; IMG=<image>
	@tools/step "installer" $(NODE) tools/package/main.ts installer

.PHONY: build-chart
build-chart: controlplane ## Write the Helm chart dist/chart; IMG=<image>
	@tools/step "chart" $(NODE) tools/package/main.ts chart

.PHONY: bundle
bundle: controlplane ## Write the OLM bundle; IMG=<image>, preferably with a digest (@sha256:)
	@tools/step "bundle" $(NODE) tools/package/main.ts bundle

.PHONY: plugin
plugin: build ## Package the kubectl plugin with license, completion, man page and krew manifest in dist/plugin; PLUGIN_URI=
	@tools/step "plugin" $(NODE) tools/package/plugin.ts

.PHONY: helm
helm: $(INSTALLED) ## Get helm; prints its path on the last line
	@$(NODE) tools/helm/main.ts

.PHONY: test-tools
test-tools: $(INSTALLED) ## Get Prometheus, a Lua interpreter and Chromium for tests of alerts, health scripts and the console
	@$(NODE) tools/test-tools/main.ts promtool prometheus lua chromium

.PHONY: chromium
chromium: $(INSTALLED) ## Get Chromium for console tests
	@$(NODE) tools/test-tools/main.ts chromium

.PHONY: runc
runc: $(INSTALLED) ## Get runc for tests that start containers
	@$(NODE) tools/test-tools/main.ts runc

.PHONY: gitops-clients
gitops-clients: $(INSTALLED) ## Get Flux and Argo CD clients for GitOps tests; prints their folder on the last line
	@$(NODE) tools/gitops-clients/main.ts

##@ Quality

.PHONY: check
check: $(INSTALLED) ## Check format, lint, layers, types, names, imports, prose, dead code and generated files
	@$(MAKE) --keep-going --jobs=2 --output-sync=target check-lint check-types check-dead-code check-format check-names check-imports check-prose check-generated check-packages

.PHONY: check-format check-lint check-types check-dead-code check-names check-imports check-prose check-generated check-packages
check-format: $(INSTALLED)
	@tools/step -q "format is right (else: make format)" biome check --error-on-warnings .
check-lint: $(INSTALLED)
	@tools/step "lint and layers" oxlint --type-aware
check-types: $(INSTALLED)
	@tools/step -q "types" sh -c 'for project in . $(wildcard packages/*/tsconfig.json apps/*/tsconfig.json) catalog; do tsc -p $$project || failed=1; done; exit $${failed:-0}'
check-dead-code: $(INSTALLED)
	@tools/step -q "dead code and stray dependencies" knip
check-names: $(INSTALLED)
	@tools/step -q "names have one meaning" $(NODE) tools/names/main.ts
check-imports: $(INSTALLED)
	@tools/step -q "workspaces declare what they import" $(NODE) tools/workspaces/main.ts
check-prose: $(INSTALLED)
	@tools/step -q "prose is plain" $(NODE) tools/prose/main.ts
check-generated: $(INSTALLED)
	@tools/step -q "generated files are current (else: make generate)" $(NODE) tools/generate/main.ts --check
check-packages: controlplane
	@tools/step -q "packages are current (else: make packages)" $(NODE) tools/package/main.ts --check

.PHONY: test-unit
test-unit: $(INSTALLED) ## Run the unit tests, which start no processes and open no sockets; LAW_RUNS=<n> (default 200)
	@tools/step "unit tests" vitest run --project=unit

.PHONY: test
test: $(INSTALLED) $(OLDEST_NODE) controlplane controller-manager chromium runc image ## Run the CI tests, with a real API server and one installation (under 10 minutes on 2 cores once cached); LAW_RUNS=<n> (default 200)
	@rm -f $(TALLY)
	@tools/step "tests" vitest run --tags-filter='!thorough'; status=$$?; $(PRINT_TALLY); exit $$status

.PHONY: test-all
test-all: export LAW_RUNS ?= 4000
test-all: $(INSTALLED) $(OLDEST_NODE) controlplane controller-manager helm test-tools gitops-clients runc image ## Run all tests (under 35 minutes on 2 cores); LAW_RUNS=<n> (default 4000)
	@rm -rf $(TALLY) .make/used-rights
	@tools/step "all tests" vitest run && $(MAKE) check-rights; status=$$?; $(PRINT_TALLY); exit $$status

.PHONY: test-laws
test-laws: export LAW_RUNS ?= 20000
test-laws: $(INSTALLED) controlplane build ## Run the property-based tests with more runs; LAW_RUNS=<n> (default 20000)
	@tools/step "laws" sh -c 'vitest run --project=unit && vitest run --project=integration hand-over-law'

.PHONY: test-install
test-install: $(INSTALLED) controlplane controller-manager helm test-tools gitops-clients runc image ## Run the installation tests: OLM, Helm, GitOps, Prometheus, upgrades, and the image in containers
	@rm -rf $(TALLY)
	@tools/step "installation tests" vitest run --project=install; status=$$?; $(PRINT_TALLY); exit $$status

.PHONY: counts
counts: $(INSTALLED) ## Count product files, lines and names; BASE=<commit> compares with that commit
	@$(NODE) tools/names/counts.ts

.PHONY: trace
trace: $(INSTALLED) controlplane ## List the product files that one drift and one plan enter at run time; FUNCTIONS=1 names the called functions
	@tools/step -q "trace" vitest run --project=integration tools/trace
	@cd .make/trace && cat one-drift$(TRACED).txt one-drift-of-an-input$(TRACED).txt one-plan$(TRACED).txt

.PHONY: texts
texts: $(INSTALLED) ## List all user-visible texts with their source: conditions, events, logs, errors, flags, admission messages
	@$(NODE) tools/texts/main.ts

.PHONY: check-rights
check-rights: $(INSTALLED) ## Check that the tests used every permission that the operators have
	@tools/step "rights" $(NODE) tools/rights/main.ts

.PHONY: test-integration
test-integration: $(OLDEST_NODE) controlplane helm build ## Run the integration tests against a real API server
	@tools/step "integration tests" vitest run test/integration test/advisor test/platform test/cli

.PHONY: test-e2e
test-e2e: controlplane build ## Run the commands of the guides on a simulated cluster
	@tools/step "journeys" vitest run test/e2e

.PHONY: campaign
campaign: controlplane build ## Inject faults into the operator's requests and processes, one at a time; PLANS=, SEED=, KIND=, SITES=
	@$(NODE) tools/campaign/main.ts

.PHONY: replay
replay: controlplane build ## Repeat a failed trial of the campaign; PLAN=<file>
	@$(NODE) tools/replay/main.ts

.PHONY: bench
bench: controlplane build $(PEER) ## Measure performance relative to raw requests; SCENARIO=, QUICK=1, FULL=1, SEED=
	@$(NODE) bench/src/main.ts

.PHONY: bench-compare
bench-compare: $(INSTALLED) ## Compare two bench results; A=<older file>, B=<newer file>
	@$(NODE) bench/src/compare-main.ts

.PHONY: predictions
predictions: $(INSTALLED) ## Compare predicted rollouts of random clusters with their simulation; WORLDS=<n> (default 200), SEED=<first>
	@$(NODE) apps/simulator/src/testing/predictions/main.ts

# The compared library has a separate lock file, because only bench needs it.
$(PEER): bench/client-node/package.json bench/client-node/package-lock.json | $(INSTALLED)
	@tools/step -q "install the peer" npm --prefix bench/client-node install --no-save --no-progress
	@tools/step -q "types of the peer's program" tsc -p bench/client-node
	@touch $@

# The plugin runs with its user's Node. The oldest supported Node has a separate lock file, because only one package
# can provide node_modules/.bin/node.
$(OLDEST_NODE): tools/oldest-node/package.json tools/oldest-node/package-lock.json | $(INSTALLED)
	@tools/step -q "install the oldest supported Node" npm --prefix tools/oldest-node install --no-save --no-progress
	@touch $@

$(INSTALLED): package.json package-lock.json .npmrc $(wildcard packages/*/package.json apps/*/package.json catalog/package.json bench/package.json)
	@tools/install
	@touch $@
