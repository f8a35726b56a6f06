// Converts a ServiceMonitor to a scrape configuration, like the Prometheus operator.

import type { ApiUser } from "@virt/testkit";

export type ServiceMonitor = {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly endpoints: readonly [MonitoredEndpoint, ...unknown[]];
  };
};

type MonitoredEndpoint = {
  readonly port: string;
  readonly path: string;
  readonly scheme: string;
  readonly interval: string;
  readonly honorLabels: boolean;
  readonly bearerTokenFile: string;
  readonly tlsConfig: { readonly caFile: string; readonly serverName: string };
};

/** The files that a Prometheus pod would find under the paths of a ServiceMonitor. */
export type ScrapeOptions = {
  readonly tokenFile: string;
  readonly serviceCaFile: string;
  readonly interval: string;
  readonly jobPrefix?: string;
};

/** Keeps the operator's settings and relabeling. Only paths and the interval differ. */
export function scrapeConfigOf(
  { metadata, spec }: ServiceMonitor,
  discovered: readonly DiscoveredTarget[],
  { tokenFile, serviceCaFile, interval, jobPrefix = "serviceMonitor" }: ScrapeOptions,
) {
  const [endpoint] = spec.endpoints;
  const keep = (label: string, value: string) => ({
    action: "keep",
    source_labels: [`__meta_kubernetes_${label}`],
    regex: value,
  });
  const copy = (label: string, to: string) => ({ source_labels: [`__meta_kubernetes_${label}`], target_label: to });
  return {
    job_name: `${jobPrefix}/${metadata.namespace}/${metadata.name}/0`,
    scrape_interval: interval,
    scrape_timeout: interval,
    metrics_path: endpoint.path,
    scheme: endpoint.scheme,
    honor_labels: endpoint.honorLabels,
    authorization: { credentials_file: tokenFile },
    tls_config: { ca_file: serviceCaFile, server_name: endpoint.tlsConfig.serverName },
    static_configs: discovered,
    relabel_configs: [
      ...Object.entries(spec.selector.matchLabels).map(([label, value]) =>
        keep(`service_label_${asLabelName(label)}`, value),
      ),
      keep("endpointslice_port_name", endpoint.port),
      copy("namespace", "namespace"),
      copy("service_name", "service"),
      copy("service_name", "job"),
      copy("endpointslice_address_target_name", "pod"),
      copy("endpointslice_port_name", "endpoint"),
    ],
  };
}

const asLabelName = (label: string) => label.replaceAll(/[^a-zA-Z0-9_]/g, "_");

export type DiscoveredTarget = {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
};

type NamedObject = {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
};
type EndpointSlice = NamedObject & {
  readonly ports: readonly { readonly name: string; readonly port: number }[];
  readonly endpoints: readonly { readonly targetRef: { readonly name: string } }[];
};

/**
 * Discovers pods with the rights of Prometheus's account, because Debian's Prometheus is built without Kubernetes
 * discovery. Includes all services of the namespace, so that relabeling must select the right ones.
 */
export async function discoverTargets(account: ApiUser, namespace: string): Promise<readonly DiscoveredTarget[]> {
  const list = async <Item>(path: string) => {
    const { status, body } = await account.request({ path });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return (body as { readonly items: readonly Item[] }).items;
  };
  await list(`/api/v1/namespaces/${namespace}/pods`); // discovery also adds the Services' labels
  const services = await list<NamedObject>(`/api/v1/namespaces/${namespace}/services`);
  const slices = await list<EndpointSlice>(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`);
  return slices.flatMap(({ metadata, ports, endpoints }) => {
    const service = services.find(({ metadata: { name } }) => name === metadata.labels?.["kubernetes.io/service-name"]);
    const known = Object.entries(service?.metadata.labels ?? {});
    return ports.flatMap(({ name, port }) =>
      endpoints.map(({ targetRef }) => ({
        targets: [`127.0.0.1:${port}`], // an EndpointSlice cannot contain a loopback address
        labels: {
          __meta_kubernetes_namespace: namespace,
          __meta_kubernetes_service_name: service?.metadata.name ?? "",
          __meta_kubernetes_endpointslice_port_name: name,
          __meta_kubernetes_endpointslice_address_target_name: targetRef.name,
          ...Object.fromEntries(
            known.map(([key, value]) => [`__meta_kubernetes_service_label_${asLabelName(key)}`, value]),
          ),
        },
      })),
    );
  });
}
