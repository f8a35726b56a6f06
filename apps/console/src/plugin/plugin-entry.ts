// The script that the console loads first: a module federation container by hand. It hands out our modules, which take React and
// the console's SDK from the scope that the console shares.

/** One version of a shared module, as webpack keeps it. */
type SharedModule = { readonly get: () => ModuleFactory | Promise<ModuleFactory> };
type ModuleFactory = () => unknown;
/** By name, then by version. */
type SharedScope = Readonly<Record<string, Readonly<Record<string, SharedModule>>>>;
type PluginModule = Readonly<Record<string, unknown>>;
type LoadModule = (require: (name: string) => unknown) => PluginModule;

/** Written by the build. */
declare const PLUGIN_NAME: string;
declare const PLUGIN_MODULES: Readonly<Record<string, string>>;
declare const PLUGIN_STYLES: string;
declare const SHARED_MODULES: readonly string[];

const script = document.currentScript;
if (!(script instanceof HTMLScriptElement)) throw new Error(`${PLUGIN_NAME} is loaded by a script element`);
const address = script.src;
let sharedScope: SharedScope = {};
const loading = new Map<string, Promise<PluginModule>>();

const container = {
  init: (scope: SharedScope): void => {
    sharedScope = scope;
  },
  get: async (name: string): Promise<() => PluginModule> => {
    const file = PLUGIN_MODULES[name];
    if (file === undefined) throw new Error(`${PLUGIN_NAME} has no module ${name}`);
    const started = loading.get(name) ?? loadModule(file);
    loading.set(name, started);
    try {
      const module = await started;
      return () => module;
    } catch (error) {
      loading.delete(name); // the next one who needs it tries again
      throw error;
    }
  },
};

async function loadModule(file: string): Promise<PluginModule> {
  addStyles();
  const [{ load }, shared] = await Promise.all([
    import(new URL(file, address).href) as Promise<{ readonly load: LoadModule }>,
    Promise.all(SHARED_MODULES.map(async (name) => [name, await takeShared(name)] as const)),
  ]);
  const modules = new Map(shared);
  return load((name) => modules.get(name));
}

async function takeShared(name: string): Promise<unknown> {
  const [newest] = Object.entries(sharedScope[name] ?? {}).toSorted(([left], [right]) =>
    right.localeCompare(left, "en", { numeric: true }),
  );
  if (newest === undefined)
    throw new Error(`${PLUGIN_NAME} needs the module ${name}, which this console does not share`);
  const factory = await newest[1].get();
  return factory();
}

function addStyles(): void {
  if (document.head.querySelector(`link[data-plugin="${PLUGIN_NAME}"]`) !== null) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(PLUGIN_STYLES, address).href;
  link.dataset["plugin"] = PLUGIN_NAME;
  document.head.append(link);
}

/** The name of the console's callback since 4.22. */
const callbackName = "__load_plugin_entry__";
type EntryCallback = (name: string, entry: typeof container) => void;
(window as unknown as Readonly<Record<typeof callbackName, EntryCallback>>)[callbackName](PLUGIN_NAME, container);
