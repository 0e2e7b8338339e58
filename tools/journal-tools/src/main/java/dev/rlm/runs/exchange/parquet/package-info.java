/** Files in the Parquet format: {@code ParquetFile}; the bytes of a column: {@code ColumnChunk}; the format's own descriptions: {@code CompactThrift}. */
@NullMarked
package dev.rlm.runs.exchange.parquet;

import org.jspecify.annotations.NullMarked;
