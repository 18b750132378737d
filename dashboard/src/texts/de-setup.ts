import type { Texts } from './en.ts';

/** German words of what is set up: members and the schemas of channels. */
export const deSetup: Pick<Texts, 'people'> = {
  people: {
    actions: {
      reset: 'Passwort-Link',
      factors: 'Zweiten Schritt entfernen',
      handOver: 'Inhaberschaft übergeben',
      remove: 'Entfernen',
    },
    titles: {
      reset: (name) => `Einen Passwort-Link für ${name} machen?`,
      factors: (name) => `Den zweiten Schritt von ${name} entfernen?`,
      handOver: (name) => `${name} zum Inhaber machen?`,
      remove: (name) => `${name} entfernen?`,
    },
    why: {
      reset: 'Damit setzt die Person ein neues Passwort, einmal, binnen 30 Minuten. Das alte gilt bis dahin.',
      factors:
        'Passkeys, Authenticator-App und Wiederherstellungscodes werden entfernt: das Passwort allein meldet die Person an.',
      handOver: 'Sie werden Admin, und nur ein Inhaber kann das ändern.',
      remove: 'Die Sitzungen dieser Person enden hier, und ihre Einladungen auch.',
    },
    removed: 'Entfernt',
    factorsRemoved: 'Der zweite Schritt ist entfernt',
    handedOver: 'Die Inhaberschaft ist übergeben',
    mailed: (email) => `Der Link ist an ${email} geschickt. Er ist nur jetzt zu sehen.`,
    handLink: (email) => `Geben Sie ${email} diesen Link selbst: es ging keine Mail hinaus. Er ist nur jetzt zu sehen.`,
  },
};
