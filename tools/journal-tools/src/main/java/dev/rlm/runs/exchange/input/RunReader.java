package dev.rlm.runs.exchange.input;

import dev.rlm.sinks.event.RunEvent;
import java.util.List;
import java.util.function.Consumer;

/** Makes events of the runs that others have recorded in a file. */
public interface RunReader {
    /** The begin of a file of that name. */
    default void begin(String name) {}

    /**
     * A line of the file.
     *
     * @param runs takes the events of each run that is whole
     * @throws BadRecordException if it is not as it should be; nothing of it has been taken then
     */
    void line(JsonObject line, Consumer<List<RunEvent>> runs) throws BadRecordException;

    /** Tells the fields of a line, each with its place in it, that say something and are not taken over. */
    void unknownFields(JsonObject line, Consumer<String> fields);

    /** The end of the file. */
    default void end(Consumer<List<RunEvent>> runs) {}
}
