// A minimal OpenShift console for tests: the real plugin loader, shared React, router and PatternFly, and our extensions.

import { PluginEventType, PluginStore } from "@openshift/dynamic-plugin-sdk";
import * as core from "@patternfly/react-core";
import coreModules from "@patternfly/react-core/dist/dynamic-modules.json";
import corePackage from "@patternfly/react-core/package.json";
import * as table from "@patternfly/react-table";
import tableModules from "@patternfly/react-table/dist/dynamic-modules.json";
import tablePackage from "@patternfly/react-table/package.json";
import * as React from "react";
import { createRoot } from "react-dom/client";
import * as router from "react-router";
import { consoleFetch, ResourceEventStream, ResourceYAMLEditor } from "./console-sdk.tsx";

const { useEffect, useState } = React;
const { BrowserRouter, Link, Route, Routes, useNavigate, useParams } = router;

type CodeRef = () => Promise<unknown>;
type Model = { readonly group: string; readonly version: string; readonly kind: string };
type Extension = {
  readonly type: string;
  readonly uid: string;
  readonly properties: Readonly<Record<string, unknown>>;
};
type AnyComponent = React.ComponentType<Readonly<Record<string, unknown>>>;

const shared = (version: string, module: unknown) => ({
  [version]: { get: () => Promise.resolve(() => module), loaded: 1, from: "openshift-console", eager: false },
});
/** Shares each component separately, like the console. Shares no icons, because every console version lacks some. */
const sharedComponents = (name: string, version: string, modules: Readonly<Record<string, string>>, all: object) =>
  Object.fromEntries(Object.values(modules).map((path) => [`${name}/${path}`, shared(version, all)]));
const settings = new URLSearchParams(location.search);
const patternFly = {
  ...sharedComponents("@patternfly/react-core", corePackage.version, coreModules, core),
  ...sharedComponents("@patternfly/react-table", tablePackage.version, tableModules, table),
};
const sharedScope = {
  ...(settings.get("patternfly") !== "none" && patternFly),
  react: shared(React.version, React),
  "react-router": shared("7.13.1", router),
  "@openshift-console/dynamic-plugin-sdk": shared("0.0.0-fixed", {
    consoleFetch,
    HorizontalNav,
    ResourceYAMLEditor,
    ResourceEventStream,
  }),
};

const store = new PluginStore({
  loaderOptions: {
    canLoadPlugin: ({ name }) => name === "virt-advisor",
    entryCallbackSettings: { name: "__load_plugin_entry__", registerCallback: true },
    fetchImpl: consoleFetch,
    customDependencyResolutions: {
      "@console/pluginAPI": settings.get("release") ?? "4.22.0-rc.1",
    },
    sharedScope,
  },
});

/** The console sets model flags once the API server serves the kind. */
async function detectModels(): Promise<void> {
  const flags: Record<string, boolean> = {};
  const [info] = store.getPluginInfo();
  for (const { type, properties } of info?.manifest.extensions ?? []) {
    if (type !== "console.flag/model") continue;
    const { flag, model } = properties as unknown as { readonly flag: string; readonly model: Model };
    const answer = await fetch(`/api/kubernetes/apis/${model.group}/${model.version}`);
    const { resources = [] } = (await answer.json()) as { readonly resources?: readonly { readonly kind: string }[] };
    flags[flag] = resources.some(({ kind }) => kind === model.kind);
  }
  store.setFeatureFlags(flags);
}

const extensionsOf = (type: string) =>
  (store.getExtensions() as readonly unknown[] as readonly Extension[]).filter((extension) => extension.type === type);

const reference = ({ group, version, kind }: Model) => `${group}~${version}~${kind}`;

function Resolved({ code, ...props }: { readonly code: unknown; readonly [prop: string]: unknown }) {
  const [Component, setComponent] = useState<AnyComponent>();
  const [error, setError] = useState("");
  useEffect(() => {
    (code as CodeRef)()
      .then((found) => setComponent(() => found as AnyComponent))
      .catch((reason: unknown) => setError(String(reason)));
  }, [code]);
  if (error !== "") return <p role="alert">{error}</p>;
  return Component === undefined ? null : <Component {...props} />;
}

type NavPage = {
  readonly href: string;
  readonly name: string;
  readonly component: React.ComponentType<{ obj?: object }>;
};

function HorizontalNav({ resource, pages }: { readonly resource: object; readonly pages: readonly NavPage[] }) {
  const { model = "", name = "", "*": current = "" } = useParams();
  const added = extensionsOf("console.tab/horizontalNav").filter(
    ({ properties }) => reference(properties["model"] as Model) === model,
  );
  const tabs: readonly NavPage[] = [
    ...pages,
    ...added.map(({ properties }) => ({
      ...(properties["page"] as { readonly href: string; readonly name: string }),
      component: (props: { readonly obj?: object }) => <Resolved code={properties["component"]} {...props} />,
    })),
  ];
  const Shown = tabs.find(({ href }) => href === current)?.component;
  return (
    <>
      <nav aria-label="Tabs">
        {tabs.map((tab) => (
          <Link key={tab.href} to={`/k8s/cluster/${model}/${name}/${tab.href}`}>
            {tab.name}
          </Link>
        ))}
      </nav>
      {Shown === undefined ? null : <Shown obj={resource} />}
    </>
  );
}

function ListPage() {
  const { model = "" } = useParams();
  const [own] = extensionsOf("console.page/resource/list").filter(
    ({ properties }) => reference(properties["model"] as Model) === model,
  );
  return own === undefined ? <p>default list</p> : <Resolved code={own.properties["component"]} model={model} />;
}

function DetailsPage() {
  const { model = "", name = "" } = useParams();
  const isModel = ({ properties }: Extension) => reference(properties["model"] as Model) === model;
  const [own] = extensionsOf("console.page/resource/details").filter(isModel);
  const [provider] = extensionsOf("console.action/resource-provider").filter(isModel);
  const [group = "", version = "", kind = ""] = model.split("~");
  const [object, setObject] = useState<object>();
  useEffect(() => {
    const path = `/api/kubernetes/apis/${group}/${version}/${kind.toLowerCase()}s/${name}`;
    void consoleFetch(path).then(async (answer) => setObject((await answer.json()) as object));
  }, [group, version, kind, name]);
  if (object === undefined) return null;
  return (
    <>
      {provider === undefined ? null : <Actions code={provider.properties["provider"] as CodeRef} object={object} />}
      {own === undefined ? (
        <HorizontalNav
          resource={object}
          pages={[{ href: "", name: "Details", component: () => <p>default details</p> }]}
        />
      ) : (
        <Resolved code={own.properties["component"]} name={name} kindObj={{ group, version, kind }} />
      )}
    </>
  );
}

type Action = {
  readonly id: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly cta: { readonly href: string };
};
type ActionHook = (object: object) => readonly [readonly Action[], boolean, unknown];

function Actions({ code, object }: { readonly code: CodeRef; readonly object: object }) {
  const [hook, setHook] = useState<ActionHook>();
  useEffect(() => {
    void code().then((found) => setHook(() => found as ActionHook));
  }, [code]);
  return hook === undefined ? null : <ActionList useActions={hook} object={object} />;
}

function ActionList({ useActions, object }: { readonly useActions: ActionHook; readonly object: object }) {
  const navigate = useNavigate();
  const [actions] = useActions(object);
  return actions.map(({ id, label, disabled, cta }) => (
    <button key={id} type="button" disabled={disabled} onClick={() => void navigate(cta.href)}>
      {label}
    </button>
  ));
}

function NewResource() {
  const [template] = extensionsOf("console.yaml-template");
  const [text, setText] = useState("");
  useEffect(() => {
    void (template?.properties["template"] as CodeRef | undefined)?.().then((found) => setText(String(found)));
  }, [template]);
  return <pre data-testid="template">{text}</pre>;
}

const changes = [PluginEventType.ExtensionsChanged, PluginEventType.PluginInfoChanged];

function Console() {
  const [, setTurn] = useState(0);
  useEffect(() => store.subscribe(changes, () => setTurn((turn) => turn + 1)), []);
  const [info] = store.getPluginInfo();
  return (
    <BrowserRouter>
      <div className="pf-v6-c-page">
        <nav aria-label="Console">
          {extensionsOf("console.navigation/href").map(({ uid, properties }) => (
            <Link key={uid} to={String(properties["href"])} data-section={properties["section"] as string}>
              {String(properties["name"])}
            </Link>
          ))}
        </nav>
        <main className="pf-v6-c-page__main">
          {info?.status === "failed" ? <p role="alert">{`${info.errorMessage}: ${String(info.errorCause)}`}</p> : null}
          <Routes>
            {extensionsOf("console.page/route").map(({ uid, properties }) => (
              <Route
                key={uid}
                path={`${String(properties["path"])}${properties["exact"] === true ? "" : "/*"}`}
                element={<Resolved code={properties["component"]} />}
              />
            ))}
            <Route path="/k8s/cluster/:model" element={<ListPage />} />
            <Route path="/k8s/cluster/:model/~new" element={<NewResource />} />
            <Route path="/k8s/cluster/:model/:name/*" element={<DetailsPage />} />
            <Route path="*" element={<h1>Console</h1>} />
          </Routes>
        </main>
      </div>
    </BrowserRouter>
  );
}

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
document.documentElement.classList.toggle("pf-v6-theme-dark", matchMedia("(prefers-color-scheme: dark)").matches);
createRoot(root).render(<Console />);
await store.loadPlugin("/api/plugins/virt-advisor/plugin-manifest.json");
await detectModels();
