package dev.rlm.journal.exchange;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A format in which others record runs.
 *
 * @param name the word that users choose it by
 * @param reader begins to read a file
 */
record ImportFormat(String name, Function<Origin, RunReader> reader) {
    private static final List<ImportFormat> ALL =
            List.of(new ImportFormat("chat", ChatReader::new), new ImportFormat("rlm-code", RlmCodeReader::new));

    static ImportFormat of(String name) throws BadRecordException {
        return ALL.stream()
                .filter(format -> format.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadRecordException(
                        "--format to be " + ALL.stream().map(ImportFormat::name).collect(Collectors.joining(" or "))
                                + ", found " + name));
    }
}
