package dev.rlm.benchmarks.fault;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a {@link Fault} by its label. */
final class FaultLabel implements ITypeConverter<Fault> {
    @Override
    public Fault convert(String label) {
        return Arrays.stream(Fault.values())
                .filter(known -> known.label().equals(label))
                .findFirst()
                .orElseThrow(() ->
                        new TypeConversionException("'" + label + "' is none of " + Arrays.toString(Fault.values())));
    }
}
