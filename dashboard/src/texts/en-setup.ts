/** English words of what is set up: members and the schemas of channels. */
export const enSetup = {
  people: {
    actions: {
      reset: 'Password link',
      factors: 'Remove second step',
      handOver: 'Hand over ownership',
      remove: 'Remove',
    },
    titles: {
      reset: (name: string) => `Make a password link for ${name}?`,
      factors: (name: string) => `Remove the second step of ${name}?`,
      handOver: (name: string) => `Make ${name} the owner?`,
      remove: (name: string) => `Remove ${name}?`,
    },
    why: {
      reset: 'With it they set a new password, once, within 30 minutes. The old password holds until then.',
      factors: 'Their passkeys, authenticator app and recovery codes are removed: the password alone signs them in.',
      handOver: 'You become an admin, and only an owner can change that.',
      remove: 'Their sessions end here, and so do the invitations that they have made.',
    },
    removed: 'Removed',
    factorsRemoved: 'The second step is removed',
    handedOver: 'The ownership is handed over',
    mailed: (email: string) => `The link was sent to ${email}. It is shown only now.`,
    handLink: (email: string) => `Hand this link to ${email} yourself: no mail was sent. It is shown only now.`,
  },
};
