/** The messages of the file field, in English and Indonesian. */
import { ProblemError } from "../problemError.ts";
import { FileRefused } from "../uploader.ts";
import { englishRefusals, indonesianRefusals } from "./refusals.ts";

export type Language = "en" | "id";

export interface Messages {
  readonly choose: string;
  readonly replace: string;
  readonly add: string;
  readonly remove: string;
  readonly stop: string;
  readonly retry: string;
  readonly dismiss: string;
  uploading(name: string): string;
  uploaded(name: string): string;
  removed(name: string): string;
  stopped(name: string): string;
  readonly stillUploading: string;
  allowed(extensions: readonly string[], maxBytes: number | undefined): string;
  wrongType(extensions: readonly string[]): string;
  tooLarge(maxBytes: number): string;
  noFilesLeft(maxFiles: number): string;
  noBytesLeft(bytes: number): string;
  tooMany(seconds: number): string;
  readonly empty: string;
  readonly unreachable: string;
  readonly serverFault: string;
  readonly expired: string;
  readonly refused: string;
}

const english: Messages = {
  choose: "Choose file",
  replace: "Replace file",
  add: "Add files",
  remove: "Remove",
  stop: "Stop",
  retry: "Try again",
  dismiss: "Dismiss",
  uploading: (name) => `Uploading ${name}`,
  uploaded: (name) => `${name} is attached.`,
  removed: (name) => `${name} was removed.`,
  stopped: (name) => `${name} is no longer being uploaded.`,
  stillUploading: "Wait until the file is uploaded.",
  allowed: (extensions, maxBytes) =>
    extensions.join(", ") + (maxBytes === undefined ? "" : ` · up to ${size(maxBytes, "en")}`),
  wrongType: (extensions) => `Only these files are allowed: ${extensions.join(", ")}.`,
  tooLarge: (maxBytes) => `The file is larger than ${size(maxBytes, "en")}.`,
  noFilesLeft: (maxFiles) => `No more than ${maxFiles} files can be attached. Remove one first.`,
  noBytesLeft: (bytes) =>
    `There is room for ${size(bytes, "en")} only. Remove a file first, or choose a smaller one.`,
  tooMany: (seconds) => `Too many uploads. Try again in ${seconds} seconds.`,
  empty: "The file is empty.",
  unreachable: "The server could not be reached. Check the connection and try again.",
  serverFault: "Something went wrong on the server. Try again later.",
  expired: "The time for this form is over.",
  refused: "The file is not allowed.",
};

const indonesian: Messages = {
  choose: "Pilih berkas",
  replace: "Ganti berkas",
  add: "Tambah berkas",
  remove: "Hapus",
  stop: "Hentikan",
  retry: "Coba lagi",
  dismiss: "Tutup",
  uploading: (name) => `Mengunggah ${name}`,
  uploaded: (name) => `${name} sudah dilampirkan.`,
  removed: (name) => `${name} sudah dihapus.`,
  stopped: (name) => `${name} tidak jadi diunggah.`,
  stillUploading: "Tunggu sampai berkas selesai diunggah.",
  allowed: (extensions, maxBytes) =>
    extensions.join(", ") + (maxBytes === undefined ? "" : ` · maksimal ${size(maxBytes, "id")}`),
  wrongType: (extensions) => `Hanya berkas berikut yang diizinkan: ${extensions.join(", ")}.`,
  tooLarge: (maxBytes) => `Ukuran berkas lebih dari ${size(maxBytes, "id")}.`,
  noFilesLeft: (maxFiles) =>
    `Tidak lebih dari ${maxFiles} berkas dapat dilampirkan. Hapus salah satu dahulu.`,
  noBytesLeft: (bytes) =>
    `Sisa ruang hanya ${size(bytes, "id")}. Hapus berkas lain atau pilih yang lebih kecil.`,
  tooMany: (seconds) => `Terlalu banyak unggahan. Coba lagi dalam ${seconds} detik.`,
  empty: "Berkas kosong.",
  unreachable: "Server tidak dapat dihubungi. Periksa koneksi lalu coba lagi.",
  serverFault: "Terjadi kesalahan di server. Coba lagi nanti.",
  expired: "Waktu pengisian formulir ini sudah habis.",
  refused: "Berkas tidak diizinkan.",
};

export const messagesIn = (language: Language): Messages => (language === "id" ? indonesian : english);

/** A number of bytes for people: `52 kB`, `1.5 MB`. It uses powers of 1,024, like the limits. */
export function size(bytes: number, language: Language): string {
  const inMb = bytes >= 1024 ** 2;
  const value = inMb ? bytes / 1024 ** 2 : Math.ceil(bytes / 1024);
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: value < 100 ? 1 : 0 });
  return `${number.format(value)} ${inMb ? "MB" : "kB"}`;
}

/** Why a file was refused, for the person who chose it. */
export function refusalIn(language: Language, error: unknown): string {
  const messages = messagesIn(language);
  if (error instanceof FileRefused) return error.message;
  if (!(error instanceof ProblemError)) return messages.unreachable;
  const { code, status, message, retryAfterSeconds } = error;
  if (code === "rate_limited") return messages.tooMany(retryAfterSeconds ?? 60);
  if (code === "unauthenticated") return messages.expired;
  if (status >= 500) return messages.serverFault;
  return language === "id"
    ? (indonesianRefusals[code] ?? messages.refused)
    : (englishRefusals[code] ?? message);
}
