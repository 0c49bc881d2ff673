//! Results that borrow from what every attempt needs for itself.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{FnArg, Lifetime, ReceiverKind, Signature, Type};

/// Where `result` borrows from `&mut self` or a `&mut` argument: then one attempt holds it for good, and there cannot be
/// another one.
pub(crate) fn of_exclusive(sig: &Signature, result: &Type) -> Option<TokenStream> {
    let mut lifetimes = Lifetimes::default();
    lifetimes.visit_type(result);
    let exclusive: Vec<Reference> = sig.inputs.iter().filter_map(Reference::exclusive).collect();
    let receiver = sig.inputs.iter().find_map(|input| match input {
        FnArg::Receiver(receiver) => Some(receiver),
        FnArg::Typed(_) => None,
    });
    let mut inputs = Lifetimes::default();
    sig.inputs.iter().for_each(|input| inputs.visit_fn_arg(input));
    let elided_from_exclusive = match receiver {
        Some(receiver) => is_exclusive_receiver(&receiver.kind),
        // Without `self`, a lifetime is left out only where there is one to choose from.
        None => exclusive.iter().any(|reference| reference.lifetime.is_none()),
    };
    let named = |found: &Found| {
        let lifetime = found.lifetime.as_ref()?;
        let reference = exclusive.iter().find(|reference| reference.lifetime.as_ref() == Some(lifetime))?;
        // Where something else has the lifetime too, the result may come from there.
        let others = inputs.found.iter().filter(|other| other.lifetime.as_ref() == Some(lifetime)).count();
        (reference.is_receiver || others == 1).then_some(())
    };
    let found = lifetimes.found.iter().find(|found| match &found.lifetime {
        None => elided_from_exclusive,
        Some(_) => named(found).is_some(),
    });
    found.map(|found| found.tokens.clone())
}

/// An argument of a type `&mut T`.
struct Reference {
    lifetime: Option<Lifetime>,
    is_receiver: bool,
}

impl Reference {
    fn exclusive(input: &FnArg) -> Option<Self> {
        let (ty, is_receiver) = match input {
            FnArg::Typed(argument) => (&*argument.ty, false),
            FnArg::Receiver(receiver) => match &receiver.kind {
                ReceiverKind::Reference(_, lifetime, mutability) => {
                    mutability.as_ref()?;
                    return Some(Self { lifetime: written(lifetime.as_ref()), is_receiver: true });
                }
                ReceiverKind::Typed(_, ty) => (&**ty, true),
                _ => return None,
            },
        };
        match ty {
            Type::Reference(reference) if reference.mutability.is_some() => {
                Some(Self { lifetime: written(reference.lifetime.as_ref()), is_receiver })
            }
            _ => None,
        }
    }
}

fn is_exclusive_receiver(kind: &ReceiverKind) -> bool {
    match kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_some(),
        ReceiverKind::Typed(_, ty) => {
            // `&mut Self`, `Pin<&mut Self>`
            let mut finder = ExclusiveReference(false);
            finder.visit_type(ty);
            finder.0
        }
        _ => false,
    }
}

struct ExclusiveReference(bool);

impl<'ast> Visit<'ast> for ExclusiveReference {
    fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
        self.0 |= reference.mutability.is_some();
    }
}

/// `None` for one that is left to the compiler: `'_`.
fn written(lifetime: Option<&Lifetime>) -> Option<Lifetime> {
    lifetime.filter(|lifetime| lifetime.ident != "_").cloned()
}

/// The lifetimes of a type, written or not.
#[derive(Default)]
struct Lifetimes {
    found: Vec<Found>,
}

struct Found {
    lifetime: Option<Lifetime>,
    tokens: TokenStream,
}

impl<'ast> Visit<'ast> for Lifetimes {
    fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
        if reference.lifetime.is_none() {
            self.found.push(Found { lifetime: None, tokens: reference.and_token.to_token_stream() });
        }
        visit::visit_type_reference(self, reference);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        if lifetime.ident != "static" {
            self.found.push(Found { lifetime: written(Some(lifetime)), tokens: lifetime.to_token_stream() });
        }
    }

    // The lifetimes of a function's own arguments are its own.
    fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}

    fn visit_parenthesized_generic_arguments(&mut self, _: &'ast syn::ParenthesizedGenericArguments) {}

    // What is opaque need not borrow from all that it might.
    fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use syn::ReturnType;

    #[track_caller]
    fn caret(signature: TokenStream) -> Option<String> {
        let sig: Signature = syn::parse2(signature).expect("a signature");
        let ReturnType::Type(_, ty) = &sig.output else { panic!("no return type") };
        of_exclusive(&sig, ty).map(|tokens| tokens.to_string())
    }

    #[test]
    fn out_of_an_exclusive_borrow() {
        for (signature, at) in [
            (quote!(async fn f(&mut self) -> Result<&mut W, E>), "&"),
            (quote!(async fn f(&mut self, x: &str) -> Result<&W, E>), "&"),
            (quote!(async fn f(&mut self) -> Result<W<'_>, E>), "'_"),
            (quote!(async fn f<'a>(&'a mut self) -> Result<W<'a>, E>), "'a"),
            (quote!(async fn f(x: &mut X) -> Result<&W, E>), "&"),
            (quote!(async fn f<'a>(x: &'a mut X, y: &str) -> Result<&'a W, E>), "'a"),
            (quote!(async fn f(self: Pin<&mut Self>) -> Result<&W, E>), "&"),
        ] {
            assert_eq!(caret(signature.clone()).as_deref(), Some(at), "{signature}");
        }
    }

    #[test]
    fn out_of_something_else() {
        for signature in [
            quote!(async fn f(&self) -> Result<&W, E>),
            quote!(async fn f(&mut self) -> Result<W, E>),
            quote!(async fn f(&mut self) -> Result<&'static W, E>),
            quote!(async fn f<'a>(&mut self, x: &'a X) -> Result<&'a W, E>),
            quote!(async fn f(&mut self) -> Result<Box<dyn Fn(&X) -> &X>, E>),
            quote!(async fn f(&mut self) -> Result<fn(&X) -> &X, E>),
            quote!(async fn f(x: &X) -> Result<&W, E>),
            quote!(async fn f<'a>(x: &'a X, y: &'a mut Y) -> Result<&'a W, E>),
        ] {
            assert_eq!(caret(signature.clone()), None, "{signature}");
        }
    }
}
