package dev.rlm.benchmarks.fault;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a {@link Misbehaviour} by its label. */
final class FaultLabel implements ITypeConverter<Misbehaviour> {
    @Override
    public Misbehaviour convert(String label) {
        return Arrays.stream(Misbehaviour.values())
                .filter(known -> known.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "'" + label + "' is none of " + Arrays.toString(Misbehaviour.values())));
    }
}
