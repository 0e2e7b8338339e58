package dev.rlm.runs.exchange.parquet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table in the Parquet format, as it is written: rows of plain columns, of which each value may be absent, compressed by
 * Zstandard. It keeps the rows of one group in memory, some megabytes. For one thread.
 */
public final class ParquetFile {
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final int GROUP = 8 << 20; // bytes in memory, which are some tens of megabytes before compression

    private final OutputStream out;
    private final Map<String, ParquetType> types;
    private final CompactThrift groups = new CompactThrift();
    private List<ColumnChunk> columns;
    private long offset = MAGIC.length;
    private int groupCount;
    private long rows;
    private int rowsOfGroup;

    /**
     * Begins the file.
     *
     * @param types of the columns by name, in their order
     */
    public ParquetFile(OutputStream out, Map<String, ParquetType> types) throws IOException {
        this.out = out;
        this.types = types;
        columns = columns();
        out.write(MAGIC);
    }

    private List<ColumnChunk> columns() {
        List<ColumnChunk> fresh = new ArrayList<>();
        types.forEach((name, type) -> fresh.add(new ColumnChunk(name, type)));
        return fresh;
    }

    /**
     * Adds a row.
     *
     * @param values one a column, of the class that its type names; {@code null} where there is none
     */
    public void add(List<? extends @Nullable Object> values) throws IOException {
        long held = 0;
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).add(values.get(i));
            held += columns.get(i).size();
        }
        rowsOfGroup++;
        if (held >= GROUP) {
            endGroup();
        }
    }

    private void endGroup() throws IOException {
        groups.begin().list(1, CompactThrift.STRUCT, columns.size());
        long unpacked = 0;
        for (ColumnChunk column : columns) {
            offset += column.write(out, offset, groups);
            unpacked += column.unpacked();
        }
        groups.i64(2, unpacked).i64(3, rowsOfGroup).end();
        groupCount++;
        rows += rowsOfGroup;
        rowsOfGroup = 0;
        columns = columns();
    }

    /** Writes what is not written yet, and the footer. The stream stays open. */
    public void finish() throws IOException {
        if (rowsOfGroup > 0) {
            endGroup();
        }
        byte[] footer = footer();
        GrowingBytes end = new GrowingBytes();
        end.writeBytes(footer);
        end.number(footer.length, Integer.BYTES);
        end.writeBytes(MAGIC);
        out.write(end.toByteArray());
        out.flush();
    }

    private byte[] footer() {
        CompactThrift footer = new CompactThrift();
        footer.begin().i32(1, 1).list(2, CompactThrift.STRUCT, types.size() + 1);
        footer.begin().text(4, "schema").i32(5, types.size()).end();
        types.forEach((name, type) -> type.describe(name, footer));
        footer.i64(3, rows).list(4, CompactThrift.STRUCT, groupCount).elements(groups.bytes());
        return footer.text(6, "rlm").end().bytes();
    }
}
