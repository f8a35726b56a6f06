// The entry point of the standalone page.

import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { SessionKey } from "./data/session-key.ts";
import { createStandaloneData } from "./data/standalone-data.ts";
import { ClusterProvider } from "./data/use-cluster.ts";
import { Announcer } from "./parts/announcer.tsx";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
const key = new SessionKey();
void key.obtain().then(() =>
  createRoot(root).render(
    <ClusterProvider value={createStandaloneData(key)}>
      <Announcer>
        <App />
      </Announcer>
    </ClusterProvider>,
  ),
);
