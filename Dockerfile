# The operator's image: the operator, and beside it the server of the console plugin, run by Node, as any user, on a root file system that nobody can write.
#   make docker-build IMG=<image>
# The bases are named in base-images.json, and make passes them. To pin them by digest: make base-images
# Another registry: make docker-build BASE=<registry>/ubi9/nodejs-24-minimal BUILDER=<registry>/ubi9/nodejs-24
ARG BUILDER
ARG BASE

# What is built is the same for all platforms, so it is built on the builder's own.
FROM --platform=$BUILDPLATFORM ${BUILDER} AS build
WORKDIR /tmp/source
COPY --chown=1001:0 . .
RUN npm install --no-save --no-audit --no-fund && node tools/build.ts

FROM ${BASE}
LABEL name="virt-operators" \
      summary="The advisor and platform controllers for OpenShift Virtualization and KubeVirt" \
      io.k8s.display-name="virt-operators" \
      io.openshift.tags="virtualization,kubevirt"
COPY --from=build --chmod=0444 /tmp/source/LICENSE /tmp/source/dist/THIRD_PARTY_NOTICES /tmp/source/dist/sbom.cdx.json /licenses/
COPY --from=build --chmod=0444 /tmp/source/dist/virt-operator.mjs /tmp/source/dist/virt-operator-bundle.mjs /tmp/source/dist/virt-console-plugin.mjs /opt/virt-operator/
ENV NODE_ENV=production
# The C library gives large buffers back instead of keeping gaps in its heap.
ENV MALLOC_MMAP_THRESHOLD_=16384
ENV MALLOC_TRIM_THRESHOLD_=65536
# Any other user does as well: OpenShift chooses one for each namespace.
USER 1001
# The flags and the environment keep memory small: docs/performance.md says how they were chosen.
ENTRYPOINT ["node", "--max-semi-space-size=2", "--optimize-for-size", "--single-threaded", "--no-lazy-feedback-allocation", "--no-separate-gc-phases", "--compact-on-every-full-gc", "/opt/virt-operator/virt-operator.mjs"]
