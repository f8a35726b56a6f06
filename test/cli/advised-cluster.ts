import { higherDensity, loadAware } from "../support/advisor.ts";
import { startTestCluster, type TestCluster, type TestClusterOptions } from "../support/test-cluster.ts";

/** Starts a simulated cluster with three workers and an advisor that has advertised its profiles. */
export async function startAdvisedCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const crds = { kubevirts: "kubevirts", ...options.crds };
  const testCluster = await startTestCluster({ ...options, crds });
  await testCluster.simulate("three-workers");
  await testCluster.startOperator();
  for (const name of ["live-migration", loadAware, higherDensity]) await testCluster.configs.until(name, "Ignored");
  return testCluster;
}
