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
      hash: "b0320825f4c5f47699f9384d85aaa6675e2609ad2db3eb8c4f523c1ed2af78aa",
      bindingHash: "dcebc17039c018b00eb21f25f7c61274f05530a51bd030d6b9b9b571bc1e544c",
    },
  ],
  platform: [
    {
      name: "virt-platform-operator-overrides",
      hash: "a4de5511edcf58ce50309ab4c65b0ed72c41dbc78068c0406e206f17c54db41f",
      bindingHash: "e2bf2a29a4d1598a3945c2107e76b34b6b88874fd52f835390f982d530f7afba",
    },
    {
      name: "virt-platform-operator-switches",
      hash: "8fe938ca98b8f8cdf0c49b8f1a0612212e8f33fcb5dea7b38ca511b76feac035",
      bindingHash: "38b8e61e98ecbf7d14a9c06598c1fe3c3f9abdaab60c1a226c0764f5324ebcac",
    },
    {
      name: "virt-platform-operator-writes",
      hash: "52e4012c4b215b15f2e7d8a7b06a471112b56eca54074ad067b2270fad97ce59",
      bindingHash: "c82fc3074ef4d7df5cba85a2131cbf1ccee38d8dccfe1111789afd9f4b806b9b",
    },
  ],
};
