package dev.rlm.runs.exchange.input;

/** Receiver of the records of a source. */
@FunctionalInterface
public interface Records {
    /**
     * The next record.
     *
     * @param place in its source; empty where it is all of it
     */
    void accept(String place, Parsing object);

    /** A record that is parsed when it is wanted. */
    @FunctionalInterface
    interface Parsing {
        JsonObject parse() throws BadRecordException;
    }
}
