package dev.rlm.runs.exchange;

import dev.rlm.runs.exchange.agents.RlmCodeReader;
import dev.rlm.runs.exchange.agents.SweAgentReader;
import dev.rlm.runs.exchange.atif.AtifReader;
import dev.rlm.runs.exchange.chat.ChatReader;
import dev.rlm.runs.exchange.chat.ShareGptReader;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.RunReader;
import dev.rlm.runs.exchange.inspect.InspectReader;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A format in which others record runs.
 *
 * @param name the word that users choose it by
 * @param endings of the files that are read of a folder: those of the first, else those of the next
 * @param anywhere the names, as a pattern, of files that are read in the folder's own folders too; empty for none
 * @param reader begins to read a file
 */
record ImportFormat(String name, List<String> endings, String anywhere, Function<ImportDefaults, RunReader> reader) {
    /** Ending of Inspect's archives, which nothing else reads. */
    static final String INSPECT_ARCHIVE = ".eval";

    private static final String LINES = ".jsonl";
    private static final String DOCUMENT = ".json";

    private static final List<ImportFormat> ALL = List.of(
            new ImportFormat("chat", List.of(LINES, DOCUMENT), "", ChatReader::new),
            new ImportFormat("rlm-code", List.of(LINES), "", RlmCodeReader::new),
            new ImportFormat("atif", List.of(LINES, DOCUMENT), "trajectory.*\\.json", AtifReader::new),
            new ImportFormat(
                    "inspect", List.of(INSPECT_ARCHIVE, DOCUMENT), ".*\\" + INSPECT_ARCHIVE, InspectReader::new),
            new ImportFormat("sharegpt", List.of(LINES, DOCUMENT), "", ShareGptReader::new),
            new ImportFormat("swe-agent", List.of(".traj"), ".*\\.traj", SweAgentReader::new));

    static ImportFormat of(String name) throws BadRecordException {
        return ALL.stream()
                .filter(format -> format.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadRecordException("--format to be one of "
                        + ALL.stream().map(ImportFormat::name).collect(Collectors.joining(", ")) + ", found " + name));
    }
}
