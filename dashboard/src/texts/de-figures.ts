import type { enFigures } from './en-figures.ts';
import type { Texts } from './en.ts';

/** German words of figures and charts. */
export const deFigures: Pick<Texts, keyof typeof enFigures> = {
  figures: {
    locale: 'de',
    title: 'Verkehr',
    range: 'Zeitraum',
    accepted: 'Angenommene Nachrichten',
    deliveredPart: 'Erfolgreiche Versuche',
    success: 'Erfolg',
    p95: 'Antwortzeit, 95 %',
    deadLetters: 'Unzustellbare',
    before: (value) => `${value} im Zeitraum davor`,
    attempts: 'Versuche',
    delivered: 'zugestellt',
    failed: 'gescheitert',
    latency: 'Antwortzeiten',
    half: 'die Hälfte höchstens',
    most95: '95 % höchstens',
    answers: 'Nach Antwort',
    asTable: 'Als Tabelle zeigen',
    asChart: 'Als Diagramm zeigen',
    step: 'Ab',
    most: (value) => `Der höchste Wert ist ${value}.`,
    lastDay: 'Letzte 24 Stunden',
    tries: (delivered, failed) => `Letzte 24 Stunden: ${delivered} zugestellt, ${failed} gescheitert`,
    waiting: 'Wartend',
    oldest: (age) => `das älteste seit ${age}`,
    nothingWaits: 'nichts wartet',
    retrying: (count) => `${count} in Wiederholung`,
  },
};
