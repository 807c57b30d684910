/** The texts of the page, in English and Indonesian. The file field and form-js have their own texts. */

import { type Language, size } from "../../sdk/src/formjs/index.ts";
import { ProblemError } from "../../sdk/src/index.ts";

export interface Texts {
  readonly language: Language;
  readonly loading: string;
  readonly send: string;
  readonly sending: string;
  readonly checkFields: string;
  readonly again: string;
  readonly thanks: string;
  readonly sent: string;
  readonly sentBefore: string;
  readonly changesNotSent: string;
  readonly another: string;
  readonly expired: string;
  readonly expiredBefore: string;
  readonly beginAgain: string;
  readonly filesGone: string;
  readonly formChanged: string;
  readonly loadAgain: string;
  readonly checkAgain: string;
  readonly notAvailable: string;
  readonly unreachable: string;
  readonly offline: string;
  readonly serverFault: string;
  readonly failed: string;
  tooMany(seconds: number): string;
  left(files: number, bytes: number): string;
}

const english: Texts = {
  language: "en",
  loading: "The form is loading…",
  send: "Send",
  sending: "The form is being sent…",
  checkFields: "The form is not sent yet. Check the marked fields.",
  again: "Try again",
  thanks: "Thank you",
  sent: "Your form was sent. You can close this page.",
  sentBefore: "Your form was sent before",
  changesNotSent:
    "The first version was received. What you changed after that was not sent. You can close this page.",
  another: "Fill in another form",
  expired:
    "The time for this form is over. What you typed is kept, but your files are not. " +
    "Begin again and attach your files again.",
  expiredBefore: "The time for this form was over, so it has begun again. Attach your files again.",
  beginAgain: "Begin again",
  filesGone: "Some files are no longer there. Attach them again, then send the form.",
  formChanged:
    "The form was not sent, because it has changed since you opened it. " +
    "Load it again. What you typed and attached is kept.",
  loadAgain: "Load the form again",
  checkAgain: "The form has changed. Check it and send it again.",
  notAvailable: "This form is not available.",
  unreachable: "The server could not be reached. Check the connection and try again. What you typed is kept.",
  offline: "You are offline. What you typed is kept.",
  serverFault: "Something went wrong on the server. Try again later. What you typed is kept.",
  failed: "The form could not be accepted. Nothing was sent.",
  tooMany: (seconds) => `There were too many requests. Try again in ${seconds} seconds.`,
  left: (files, bytes) =>
    `You can attach ${files} more ${files === 1 ? "file" : "files"}, ${size(bytes, "en")} in all.`,
};

const indonesian: Texts = {
  language: "id",
  loading: "Formulir sedang dimuat…",
  send: "Kirim",
  sending: "Formulir sedang dikirim…",
  checkFields: "Formulir belum terkirim. Periksa isian yang ditandai.",
  again: "Coba lagi",
  thanks: "Terima kasih",
  sent: "Formulir Anda sudah terkirim. Halaman ini boleh ditutup.",
  sentBefore: "Formulir Anda sudah pernah terkirim",
  changesNotSent:
    "Formulir diterima seperti saat pertama kali dikirim. Perubahan sesudahnya tidak ikut terkirim. " +
    "Halaman ini boleh ditutup.",
  another: "Isi formulir lain",
  expired:
    "Waktu pengisian formulir ini sudah habis. Isian Anda tetap tersimpan, tetapi berkasnya tidak. " +
    "Mulai lagi dan lampirkan ulang berkas Anda.",
  expiredBefore:
    "Waktu pengisian formulir sudah habis, jadi formulir dimulai lagi. Lampirkan ulang berkas Anda.",
  beginAgain: "Mulai lagi",
  filesGone: "Sebagian berkas sudah tidak ada. Lampirkan ulang lalu kirim formulir lagi.",
  formChanged:
    "Formulir belum terkirim karena sudah berubah sejak Anda membukanya. " +
    "Muat ulang formulir. Isian dan berkas Anda tetap tersimpan.",
  loadAgain: "Muat ulang formulir",
  checkAgain: "Formulir sudah berubah. Periksa lalu kirim lagi.",
  notAvailable: "Formulir ini tidak tersedia.",
  unreachable: "Server tidak dapat dihubungi. Periksa koneksi lalu coba lagi. Isian Anda tetap tersimpan.",
  offline: "Anda sedang luring. Isian Anda tetap tersimpan.",
  serverFault: "Terjadi kesalahan di server. Coba lagi nanti. Isian Anda tetap tersimpan.",
  failed: "Formulir tidak dapat diterima. Tidak ada yang diteruskan.",
  tooMany: (seconds) => `Terlalu banyak permintaan. Coba lagi dalam ${seconds} detik.`,
  left: (files, bytes) => `Anda dapat melampirkan ${files} berkas lagi, seluruhnya ${size(bytes, "id")}.`,
};

/** Chosen by the browser's language. `in` is the old code of Indonesian. */
export const textsFor = (language: string): Texts => (/^(id|in)\b/i.test(language) ? indonesian : english);

/** Why a request failed, for the visitor. */
export function errorText(error: unknown, texts: Texts): string {
  if (!(error instanceof ProblemError)) return texts.unreachable;
  if (error.code === "rate_limited") return texts.tooMany(error.retryAfterSeconds ?? 60);
  return error.status >= 500 ? texts.serverFault : texts.failed;
}
