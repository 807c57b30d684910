/** Texts for the server's refusals, by code. The server's own messages are English, and two of them speak of bytes. */
export const englishRefusals: Readonly<Record<string, string>> = {
  payload_too_large: "The file is too large.",
  session_quota_exceeded: "The form has no room for this file. Remove another one first.",
};

export const indonesianRefusals: Readonly<Record<string, string>> = {
  file_empty: "Berkas kosong.",
  file_name_invalid: "Nama berkas tidak dapat dipakai. Ganti namanya lalu coba lagi.",
  extension_not_allowed: "Hanya berkas jpg, jpeg, png, pdf, docx, atau xlsx yang diizinkan.",
  payload_too_large: "Ukuran berkas terlalu besar.",
  session_quota_exceeded: "Formulir ini tidak menampung berkas lagi. Hapus salah satu dahulu.",
  type_mismatch: "Isi berkas tidak sesuai dengan nama atau jenisnya.",
  file_too_complex: "Berkas terlalu lama diperiksa; simpan ulang dalam bentuk yang lebih sederhana.",
  file_ambiguous: "Berkas ini juga dapat dibaca sebagai arsip; simpan ulang lalu unggah berkas yang baru.",
  image_damaged: "Gambar rusak.",
  image_truncated: "Gambar tidak lengkap.",
  image_too_large: "Gambar memiliki terlalu banyak piksel; perkecil lalu unggah berkas yang baru.",
  image_trailing_data: "Gambar diikuti data lain; simpan ulang lalu unggah berkas yang baru.",
  pdf_damaged: "PDF rusak.",
  pdf_truncated: "PDF tidak lengkap.",
  pdf_trailing_data: "PDF diikuti data lain; simpan ulang lalu unggah berkas yang baru.",
  document_encrypted:
    "Dokumen terkunci atau berformat lama; simpan tanpa kata sandi atau pembatasan sebagai pdf, docx, atau xlsx.",
  document_has_macros: "Dokumen berisi makro atau kontrol aktif.",
  document_remote_content: "Dokumen memuat templat atau objek dari komputer lain.",
  document_wrong_kind: "Jenis dokumen tidak sesuai dengan ekstensinya.",
  document_damaged: "Dokumen rusak.",
  archive_damaged: "Arsip dokumen rusak.",
  archive_unsupported: "Arsip dokumen memakai fitur yang tidak ditulis oleh program perkantoran.",
  archive_hidden_data: "Arsip dokumen berisi data tersembunyi.",
  archive_bomb: "Dokumen terlalu besar setelah dibuka.",
  archive_too_many_entries: "Dokumen terdiri atas terlalu banyak bagian.",
  archive_unsafe_name: "Sebuah bagian dokumen memiliki nama yang tidak aman.",
  archive_duplicate_name: "Dua bagian dokumen memiliki nama yang sama.",
  upload_quota_exceeded: "Batas unggahan hari ini telah tercapai. Coba lagi besok.",
  insufficient_storage: "Tidak ada ruang untuk berkas ini saat ini. Coba lagi nanti.",
  malware_found: "Berkas mengandung perangkat lunak berbahaya.",
};
