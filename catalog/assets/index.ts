// The assets there are, in the order in which they are applied, one line each.

import type { Asset } from "@virt/platform";
import aaqOperator from "./aaq-operator/asset.ts";
import deschedulerLoadaware from "./descheduler-loadaware/asset.ts";
import hcoGoldenConfig from "./hco-golden-config/asset.ts";
import kubeletCpuManager from "./kubelet-cpu-manager/asset.ts";
import kubeletPerfSettings from "./kubelet-perf-settings/asset.ts";
import metallbOperator from "./metallb-operator/asset.ts";
import metricsService from "./metrics-service/asset.ts";
import metricsServicemonitor from "./metrics-servicemonitor/asset.ts";
import mtvOperator from "./mtv-operator/asset.ts";
import nodeHealthCheck from "./node-health-check/asset.ts";
import numaTopology from "./numa-topology/asset.ts";
import observabilityOperator from "./observability-operator/asset.ts";
import pciPassthrough from "./pci-passthrough/asset.ts";
import prometheusAlerts from "./prometheus-alerts/asset.ts";
import psiEnable from "./psi-enable/asset.ts";
import psiEnableMaster from "./psi-enable-master/asset.ts";
import swapEnable from "./swap-enable/asset.ts";
import usbPassthrough from "./usb-passthrough/asset.ts";
import vfioAssign from "./vfio-assign/asset.ts";
import vfioPermittedDevices from "./vfio-permitted-devices/asset.ts";

export const assets: readonly Asset[] = [
  aaqOperator,
  hcoGoldenConfig,
  usbPassthrough,
  vfioPermittedDevices,
  metricsService,
  metricsServicemonitor,
  prometheusAlerts,
  kubeletCpuManager,
  kubeletPerfSettings,
  numaTopology,
  swapEnable,
  pciPassthrough,
  psiEnable,
  psiEnableMaster,
  vfioAssign,
  nodeHealthCheck,
  mtvOperator,
  metallbOperator,
  observabilityOperator,
  deschedulerLoadaware,
];
