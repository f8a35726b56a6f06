// Generated from the catalog (make generate). Change the catalog instead.
// The admission policies that each controller ships with; their bindings have the same names.

/** An admission policy with the hashes of the specs that ship with the controller. */
export type ExpectedPolicy = {
  readonly name: string;
  /** `hashPolicySpec` of the spec of the policy, and of its binding. */
  readonly hash: string;
  readonly bindingHash: string;
};

/** Keyed by the controller that checks them. A policy that is absent or differs is reported, never written. */
export const expectedPolicies: Readonly<Record<"advisor" | "platform", readonly ExpectedPolicy[]>> = {
  advisor: [
    {
      name: "virt-advisor-operator-approvals",
      hash: "e227db093dd10e68215735c119ba03fc3b4baecdde57b784a1a8b0be33853938",
      bindingHash: "c0ac9bba32f34af1981bc1d9ed289e9cf3c72a22f4e868f084b83d43dfd47a73",
    },
    {
      name: "virt-advisor-operator-status",
      hash: "808b97db56d8469229863d83ee61c85d8f2a28fbe064515dbdab0bdf16c99bcf",
      bindingHash: "3cdc909c2558fc221a73cecea7a7ec362b5b681ff9026489d10b563e5105c4b2",
    },
    {
      name: "virt-advisor-operator-writes",
      hash: "84bb2119ae163dcfd5ee2b55c3fbe82fa2f7392c47eafc58f2c7fa4e2843f467",
      bindingHash: "dcebc17039c018b00eb21f25f7c61274f05530a51bd030d6b9b9b571bc1e544c",
    },
  ],
  platform: [
    {
      name: "virt-platform-operator-overrides",
      hash: "b8aa927d303c19ac5a77f0be60f1f83d5f15bc7f0cbd09e2fbff231b6e5b3c26",
      bindingHash: "e2bf2a29a4d1598a3945c2107e76b34b6b88874fd52f835390f982d530f7afba",
    },
    {
      name: "virt-platform-operator-switches",
      hash: "3309911ee5c384c7ae0f762aca8e4f049832fa6eb07ea2d788123639b581b20d",
      bindingHash: "38b8e61e98ecbf7d14a9c06598c1fe3c3f9abdaab60c1a226c0764f5324ebcac",
    },
    {
      name: "virt-platform-operator-writes",
      hash: "18964e6f61ef638ee467f8d7024162bb0cae63fe9765e1c175f3647ca7311c03",
      bindingHash: "c82fc3074ef4d7df5cba85a2131cbf1ccee38d8dccfe1111789afd9f4b806b9b",
    },
    {
      name: "virt-platform-operator-writes-hyperconverged",
      hash: "ad60f94741421cc404ac48c33a827628b33cb98257986aad07c608f9a7a550cb",
      bindingHash: "315169c2b25e7e792506aa34776d02e4508454f6a9694f96391bfd6a259c454f",
    },
    {
      name: "virt-platform-operator-writes-nodes",
      hash: "3e86a8e28a3d265999a57081d4f451686d5161c1ace6b074c1e4f84a7b0c8bd3",
      bindingHash: "ceb129daa969b7db4eecfd995355123b3a2f35de47655ee562a798760e0cf3cb",
    },
    {
      name: "virt-platform-operator-writes-monitoring",
      hash: "68e86968dddb292262f930a8a164499efe5df8cd26bd773f2b2b266e04df38b3",
      bindingHash: "ff99c03625a6228709f10ed467e74bf6563df349436987b3c7598d3545146431",
    },
    {
      name: "virt-platform-operator-writes-operations",
      hash: "471e008a0ab32f5e5d33125545b876344b710bb0fc4abf9e92b4b863f52f0958",
      bindingHash: "0f1e41abf74961c53a79d88339df54967bc018205f672f13d1d1a31efcb3ae79",
    },
  ],
};
