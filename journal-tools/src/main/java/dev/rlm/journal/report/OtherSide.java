package dev.rlm.journal.report;

import dev.rlm.cli.UsageException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The other side of a comparison.
 *
 * @param journal another journal; {@code null} for the same one
 * @param model another model; {@code null} for the same choice
 * @param tags other tags
 */
record OtherSide(@Nullable Path journal, @Nullable String model, Map<String, String> tags) {
    private static final String MODEL = "model=";
    private static final String TAG = "tag=";

    OtherSide {
        tags = Map.copyOf(tags);
    }

    /** All that was said of it, taken together; {@code null} where nothing was. */
    static @Nullable OtherSide of(List<OtherSide> parts) {
        Path journal = null;
        String model = null;
        Map<String, String> tags = new LinkedHashMap<>();
        for (OtherSide part : parts) {
            if ((part.journal != null && journal != null) || (part.model != null && model != null)) {
                throw new UsageException("--against takes one folder and one model: "
                        + (part.journal == null ? part.model : part.journal) + " is a second");
            }
            journal = part.journal == null ? journal : part.journal;
            model = part.model == null ? model : part.model;
            tags.putAll(part.tags);
        }
        return parts.isEmpty() ? null : new OtherSide(journal, model, tags);
    }

    /** Reads a folder, {@code model=NAME} or {@code tag=NAME=VALUE}. */
    static final class Converter implements ITypeConverter<OtherSide> {
        @Override
        public OtherSide convert(String text) {
            if (text.startsWith(MODEL)) {
                return new OtherSide(null, text.substring(MODEL.length()), Map.of());
            }
            int value = text.indexOf('=', TAG.length());
            if (text.startsWith(TAG) && value > TAG.length()) {
                return new OtherSide(
                        null, null, Map.of(text.substring(TAG.length(), value), text.substring(value + 1)));
            }
            return new OtherSide(folder(text), null, Map.of());
        }

        private static Path folder(String text) {
            try {
                Path folder = Path.of(text);
                if (!text.isBlank() && Files.isDirectory(folder)) {
                    return folder;
                }
            } catch (InvalidPathException e) {
                // then it is none
            }
            throw new TypeConversionException("'" + text
                    + "' is not a journal's folder; expected one, or model=NAME or tag=NAME=VALUE in the same journal");
        }
    }
}
