package dev.rlm.runs.exchange.parquet;

/** Types of a column's values: how their bytes lie in the file, and what readers take them for. */
public enum ParquetType {
    /** A {@link Boolean}. */
    BOOLEAN(0),
    /** A {@link Long}. */
    INT64(2),
    /** A {@link Long}: microseconds since 1970, in UTC. */
    TIMESTAMP(2, 10, 8),
    /** A {@link Double}. */
    DOUBLE(5),
    /** A {@link String}. */
    STRING(6, 0, 1),
    /** A {@link String} of JSON. */
    JSON(6, 19, 12);

    private static final int NONE = -1;
    private static final int OPTIONAL = 1;

    private final int physical;
    private final int converted;
    private final int logical;

    ParquetType(int physical) {
        this(physical, NONE, NONE);
    }

    /**
     * A type, by the numbers of the format.
     *
     * @param physical of the bytes
     * @param converted of their meaning, for old readers
     * @param logical of their meaning
     */
    ParquetType(int physical, int converted, int logical) {
        this.physical = physical;
        this.converted = converted;
        this.logical = logical;
    }

    int physical() {
        return physical;
    }

    /** Writes an element of the schema. */
    void describe(String name, CompactThrift schema) {
        schema.begin().i32(1, physical).i32(3, OPTIONAL).text(4, name);
        if (converted != NONE) {
            schema.i32(6, converted).begin(10).begin(logical);
            if (this == TIMESTAMP) {
                schema.flag(1, true).begin(2).begin(2).end().end(); // in UTC, by the microsecond
            }
            schema.end().end();
        }
        schema.end();
    }
}
