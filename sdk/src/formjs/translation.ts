/** form-js's own texts in Indonesian, as a module for `additionalModules`. */
const indonesian: Readonly<Record<string, string>> = {
  "Add new": "Tambah",
  "All values selected": "Semua nilai sudah dipilih",
  "Click to remove sorting": "Klik untuk menghapus pengurutan",
  "Click to sort by {value} ascending": "Klik untuk mengurutkan naik menurut {value}",
  "Click to sort by {value} descending": "Klik untuk mengurutkan turun menurut {value}",
  Collapse: "Ciutkan",
  "Date and time must both be entered.": "Tanggal dan waktu harus diisi.",
  Decrement: "Kurangi",
  "Document reference is not defined.": "Dokumen tidak ditentukan.",
  "Download {fileName}": "Unduh {fileName}",
  "Expand all ({value})": "Tampilkan semua ({value})",
  "Field is required.": "Wajib diisi.",
  "Field must be a valid email.": "Isi dengan alamat surel yang benar.",
  "Field must be a valid international phone number. (e.g. +4930664040900)":
    "Isi dengan nomor telepon internasional yang benar (misalnya +6281234567890).",
  "Field must have maximum length of {value}.": "Paling banyak {value} karakter.",
  "Field must have maximum value of {value}.": "Nilai paling besar {value}.",
  "Field must have minimum length of {value}.": "Paling sedikit {value} karakter.",
  "Field must have minimum value of {value}.": "Nilai paling kecil {value}.",
  "Field must match pattern {value}.": "Harus sesuai pola {value}.",
  Increment: "Tambahkan",
  "Max validation value is not a valid number.": "Batas atas isian ini bukan angka.",
  "Min validation value is not a valid number.": "Batas bawah isian ini bukan angka.",
  "Next page": "Halaman berikutnya",
  "No content to show.": "Tidak ada isi.",
  "No results": "Tidak ada hasil",
  "Nothing to show.": "Tidak ada yang ditampilkan.",
  "Please select a valid value, the two nearest valid values are {previousValue} and {nextValue}.":
    "Pilih nilai yang benar; dua nilai terdekat adalah {previousValue} dan {nextValue}.",
  "Previous page": "Halaman sebelumnya",
  "Remove tag": "Hapus label",
  Search: "Cari",
  "Skip to search": "Langsung ke pencarian",
  "Unable to download document": "Dokumen tidak dapat diunduh",
  "Value is expected to be an integer.": "Isi dengan bilangan bulat.",
  "Value is expected to have at most 1 decimal digit.": "Paling banyak 1 angka di belakang koma.",
  "Value is expected to have at most {value} decimal digits.":
    "Paling banyak {value} angka di belakang koma.",
  "Value is not a number.": "Isi dengan angka.",
  "{page} of {total}": "{page} dari {total}",
};

export const indonesianTexts = { translate: ["value", translate] as const };

function translate(text: string, values: Readonly<Record<string, unknown>> = {}): string {
  return (indonesian[text] ?? text).replaceAll(/\{(\w+)\}/g, (hole, name) => String(values[name] ?? hole));
}
