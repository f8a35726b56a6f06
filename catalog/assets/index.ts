// Lists the assets. Each asset declares its own order.

export { default as aaqOperator } from "./aaq-operator/asset.ts";
export { default as deschedulerLoadaware } from "./descheduler-loadaware/asset.ts";
export { default as hcoGoldenConfig } from "./hco-golden-config/asset.ts";
export { default as kubeletCpuManager } from "./kubelet-cpu-manager/asset.ts";
export { default as kubeletPerfSettings } from "./kubelet-perf-settings/asset.ts";
export { default as metallbOperator } from "./metallb-operator/asset.ts";
export { default as metricsService } from "./metrics-service/asset.ts";
export { default as metricsServicemonitor } from "./metrics-servicemonitor/asset.ts";
export { default as mtvOperator } from "./mtv-operator/asset.ts";
export { default as nodeHealthCheck } from "./node-health-check/asset.ts";
export { default as numaTopology } from "./numa-topology/asset.ts";
export { default as observabilityOperator } from "./observability-operator/asset.ts";
export { default as pciPassthrough } from "./pci-passthrough/asset.ts";
export { default as platformDashboard } from "./platform-dashboard/asset.ts";
export { default as prometheusAlerts } from "./prometheus-alerts/asset.ts";
export { default as psiEnable } from "./psi-enable/asset.ts";
export { default as psiEnableMaster } from "./psi-enable-master/asset.ts";
export { default as rebalancingDashboard } from "./rebalancing-dashboard/asset.ts";
export { default as scsiReservations } from "./scsi-reservations/asset.ts";
export { default as scsiReservationsMaster } from "./scsi-reservations-master/asset.ts";
export { default as stunTime } from "./stun-time/asset.ts";
export { default as swapEnable } from "./swap-enable/asset.ts";
export { default as troubleshootingPanel } from "./troubleshooting-panel/asset.ts";
export { default as usbPassthrough } from "./usb-passthrough/asset.ts";
export { default as vfioAssign } from "./vfio-assign/asset.ts";
export { default as vfioPermittedDevices } from "./vfio-permitted-devices/asset.ts";
