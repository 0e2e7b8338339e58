package dev.rlm.runs.report.figures;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads one of some values by the word that is typed for it. */
public abstract class WordConverter<T> implements ITypeConverter<T> {
    private final List<T> values;
    private final Function<T, String> word;

    protected WordConverter(List<T> values, Function<T, String> word) {
        this.values = values;
        this.word = word;
    }

    @Override
    public T convert(String text) {
        return values.stream()
                .filter(value -> word.apply(value).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is not known: known are "
                        + values.stream().map(word).collect(Collectors.joining(", "))));
    }
}
