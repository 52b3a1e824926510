(** Polynomials on boxes, for the rule [bernstein] of docs/proofs.md.

    On a range, x (r b + s a) = p b + q a with a, b >= 0: a = x - lo and b = hi - x on [lo, hi], b = 1 on a
    half-line.  So a polynomial in x, times a positive number, is a form in a and b ([turned]), whose
    coefficients are those of Bernstein up to positive factors.  If none is negative, neither is the polynomial
    ([no_negative_sign]); it is positive where one of them is that does not go with a power of 0
    ([one_positive_sign]).  Coq computes the coefficients: all of them are whole. *)

From Coq Require Import Reals Lra Psatz ZArith Lia List Bool.
Import ListNotations.
Open Scope R_scope.

(** * Polynomials *)

(** In [n] variables, with whole coefficients: those of 1, x, x^2, ... of the first variable are polynomials
    in the others. *)
Fixpoint poly (n : nat) : Type := match n with O => Z | S m => list (poly m) end.

Fixpoint horner (vs : list R) (x : R) : R := match vs with nil => 0 | v :: rest => v + x * horner rest x end.

Fixpoint poly_value {n} : poly n -> list R -> R :=
  match n with
  | O => fun c _ => IZR c
  | S m => fun p xs => horner (map (fun q => poly_value q (tl xs)) p) (hd 0 xs)
  end.

Fixpoint add_with {A} (f : A -> A -> A) (p q : list A) : list A :=
  match p, q with
  | nil, _ => q
  | _, nil => p
  | a :: p', b :: q' => f a b :: add_with f p' q'
  end.

Fixpoint poly_sum {n} : poly n -> poly n -> poly n :=
  match n with O => Z.add | S m => add_with poly_sum end.

Fixpoint poly_times {n} (k : Z) : poly n -> poly n :=
  match n with O => Z.mul k | S m => map (poly_times k) end.

Definition poly_zero n : poly n := match n with O => 0%Z | S m => nil end.

Lemma poly_value_zero n xs : poly_value (poly_zero n) xs = 0.
Proof. now destruct n. Qed.

Lemma poly_value_plus n : forall (p q : poly n) xs, poly_value (poly_sum p q) xs = poly_value p xs + poly_value q xs.
Proof.
  induction n as [| n IH]; intros p q xs; [apply plus_IZR | ].
  simpl. revert q. induction p as [| a p IHp]; intros [| b q]; simpl; try lra.
  rewrite IH, IHp. ring.
Qed.

Lemma poly_value_times n k : forall (p : poly n) xs, poly_value (poly_times k p) xs = IZR k * poly_value p xs.
Proof.
  induction n as [| n IH]; intros p xs; [apply mult_IZR | ].
  simpl. induction p as [| a p IHp]; simpl; [lra | ]. rewrite IH, IHp. ring.
Qed.

(** * Forms *)

(** A form in [a] and [b]: the coefficients of b^n, a b^(n-1), ..., a^n. *)
Fixpoint form (a b : R) (vs : list R) : R :=
  match vs with nil => 0 | v :: rest => v * b ^ length rest + a * form a b rest end.

Definition poly_values {n} (ps : list (poly n)) xs := map (fun q => poly_value q xs) ps.

(** Times [p b + q a]. *)
Definition longer {n} (p q : Z) (ps : list (poly n)) : list (poly n) :=
  add_with poly_sum (map (poly_times p) ps ++ [poly_zero n]) (poly_zero n :: map (poly_times q) ps).

Fixpoint power_of (r s : Z) (k : nat) : list (poly 0) :=
  match k with O => [1%Z] | S k => longer (n := 0) r s (power_of r s k) end.

(** With x = (p b + q a) / (r b + s a), poly_times the denominator to the degree. *)
Fixpoint turned {n} (p q r s : Z) (ps : list (poly n)) : list (poly n) :=
  match ps with
  | nil => nil
  | v :: rest =>
      let first := map (fun k : poly 0 => poly_times k v) (power_of r s (length rest)) in
      add_with poly_sum first (longer p q (turned p q r s rest))
  end.

Lemma form_plus n (ps qs : list (poly n)) xs a b : length ps = length qs ->
  form a b (poly_values (add_with poly_sum ps qs) xs) = form a b (poly_values ps xs) + form a b (poly_values qs xs).
Proof.
  revert qs. induction ps as [| p ps IH]; intros [| q qs] E; simpl in *; try easy; [lra | ].
  injection E as E. rewrite IH, poly_value_plus by easy. unfold poly_values. rewrite !map_length.
  replace (length (add_with poly_sum ps qs)) with (length qs); [rewrite <- E; ring | ].
  clear -E. revert qs E. induction ps as [| p ps IH]; intros [| q qs] E; simpl in *; try easy. now rewrite <- IH; auto.
Qed.

Lemma add_with_length n (ps qs : list (poly n)) : length ps = length qs -> length (add_with poly_sum ps qs) = length qs.
Proof. revert qs. induction ps as [| p ps IH]; intros [| q qs] E; simpl in *; try easy. now rewrite IH; auto. Qed.

Lemma longer_length n p q (ps : list (poly n)) : length (longer p q ps) = S (length ps).
Proof.
  unfold longer. rewrite add_with_length; simpl; rewrite ?app_length, !map_length; simpl; lia.
Qed.

Lemma form_times n k (ps : list (poly n)) xs a b :
  form a b (poly_values (map (poly_times k) ps) xs) = IZR k * form a b (poly_values ps xs).
Proof.
  induction ps as [| p ps IH]; simpl; [lra | ]. rewrite poly_value_times.
  unfold poly_values in *. rewrite IH, !map_length. ring.
Qed.

Lemma form_app n (ps : list (poly n)) xs a b :
  form a b (poly_values (ps ++ [poly_zero n]) xs) = b * form a b (poly_values ps xs).
Proof.
  induction ps as [| p ps IH]; simpl; [rewrite poly_value_zero; lra | ].
  unfold poly_values in *. rewrite IH, !map_length, app_length. simpl length. rewrite Nat.add_1_r. simpl. ring.
Qed.

Lemma form_longer n p q (ps : list (poly n)) xs a b :
  form a b (poly_values (longer p q ps) xs) = (IZR p * b + IZR q * a) * form a b (poly_values ps xs).
Proof.
  unfold longer. rewrite form_plus by (simpl; rewrite app_length, !map_length; simpl; lia).
  rewrite form_app. simpl. rewrite !form_times, poly_value_zero. ring.
Qed.

Lemma power_length r s k : length (power_of r s k) = S k.
Proof. induction k as [| k IH]; [easy | ]. cbn [power_of]. now rewrite longer_length, IH. Qed.

Lemma form_power n r s k (v : poly n) xs a b :
  form a b (poly_values (map (fun c : poly 0 => poly_times c v) (power_of r s k)) xs) =
  poly_value v xs * (IZR r * b + IZR s * a) ^ k.
Proof.
  assert (E : form a b (poly_values (map (fun c : poly 0 => poly_times c v) (power_of r s k)) xs) =
    poly_value v xs * form a b (poly_values (power_of r s k) xs)).
  { generalize (power_of r s k) as cs. induction cs as [| c cs IH]; [simpl; lra | ].
    unfold poly_values in *. cbn [map form]. rewrite IH, poly_value_times, !map_length. simpl poly_value. ring. }
  rewrite E. f_equal. clear E. induction k as [| k IH]; [simpl; lra | ].
  simpl power_of. rewrite form_longer, IH. simpl. ring.
Qed.

Lemma turned_length n p q r s (ps : list (poly n)) : length (turned p q r s ps) = length ps.
Proof.
  induction ps as [| v ps IH]; [easy | ]. simpl.
  rewrite add_with_length; rewrite longer_length, IH; [easy | ]. now rewrite map_length, power_length.
Qed.

Lemma form_turned n p q r s (ps : list (poly n)) xs x a b :
  x * (IZR r * b + IZR s * a) = IZR p * b + IZR q * a ->
  (IZR r * b + IZR s * a) * form a b (poly_values (turned p q r s ps) xs) =
  (IZR r * b + IZR s * a) ^ length ps * horner (poly_values ps xs) x.
Proof.
  intros E. induction ps as [| v ps IH]; [simpl; lra | ].
  simpl turned. rewrite form_plus by now rewrite map_length, power_length, longer_length, turned_length.
  rewrite form_power, form_longer, <- E. simpl. unfold poly_values in *.
  transitivity (poly_value v xs * ((IZR r * b + IZR s * a) * (IZR r * b + IZR s * a) ^ length ps) +
    x * (IZR r * b + IZR s * a) * ((IZR r * b + IZR s * a) *
      form a b (map (fun q0 => poly_value q0 xs) (turned p q r s ps)))); [ring | ].
  rewrite IH. ring.
Qed.

(** A side, its ends open or not, and the two numbers that are >= 0 on it: [a] from below, [b] from above. *)
Inductive side :=
  | Within (lo hi : Z) (lo_open hi_open : bool)
  | Above (lo : Z) (is_open : bool)
  | Below (hi : Z) (is_open : bool).

Definition end_at (is_open : bool) (u v : R) := if is_open then u < v else u <= v.

Definition within (r : side) (x : R) : Prop :=
  match r with
  | Within lo hi o o' => end_at o (IZR lo) x /\ end_at o' x (IZR hi)
  | Above lo o => end_at o (IZR lo) x
  | Below hi o => end_at o x (IZR hi)
  end.

Definition from_below (r : side) (x : R) : R :=
  match r with Within lo _ _ _ | Above lo _ => x - IZR lo | Below hi _ => IZR hi - x end.

Definition from_above (r : side) (x : R) : R := match r with Within _ hi _ _ => IZR hi - x | _ => 1 end.

Definition proper (r : side) : bool := match r with Within lo hi _ _ => (lo <? hi)%Z | _ => true end.

Definition on_side {n} (r : side) (p : list (poly n)) : list (poly n) :=
  match r with
  | Within lo hi _ _ => turned lo hi 1 1 p
  | Above lo _ => turned lo 1 1 0 p
  | Below hi _ => turned hi (-1) 1 0 p
  end.

Lemma ends_nonneg r x : within r x -> 0 <= from_below r x /\ 0 <= from_above r x.
Proof. destruct r as [? ? [] [] | ? [] | ? []]; simpl; lra. Qed.

Lemma on_side_sign n r (p : list (poly n)) x xs : proper r = true -> within r x ->
  exists d, 0 < d /\
    form (from_below r x) (from_above r x) (poly_values (on_side r p) xs) = d * horner (poly_values p xs) x.
Proof.
  intros Hr Hx.
  assert (General : forall p' q r' s a b, x * (IZR r' * b + IZR s * a) = IZR p' * b + IZR q * a ->
    0 < IZR r' * b + IZR s * a ->
    exists d, 0 < d /\ form a b (poly_values (turned p' q r' s p) xs) = d * horner (poly_values p xs) x).
  { intros p' q r' s a b E H. pose proof (form_turned n p' q r' s p xs x a b E) as T.
    exists ((IZR r' * b + IZR s * a) ^ length p / (IZR r' * b + IZR s * a)). split.
    - apply Rdiv_lt_0_compat; [now apply pow_lt | easy].
    - apply Rmult_eq_reg_l with (IZR r' * b + IZR s * a); [ | lra]. rewrite T. field. lra. }
  destruct r as [lo hi o o' | lo o | hi o]; simpl in *; apply General; simpl; try lra.
  apply Z.ltb_lt, IZR_lt in Hr. lra.
Qed.

Lemma form_nonneg a b vs : 0 <= a -> 0 <= b -> Forall (Rle 0) vs -> 0 <= form a b vs.
Proof.
  intros Ha Hb H. induction H as [| v vs Hv _ IH]; simpl; [lra | ].
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; try easy. now apply pow_le.
Qed.

Fixpoint in_box (box : list side) (xs : list R) : Prop :=
  match box with nil => True | r :: rs => within r (hd 0 xs) /\ in_box rs (tl xs) end.

(** No coefficient is negative. *)
Fixpoint no_negative {n} : poly n -> list side -> bool :=
  match n with
  | O => fun c _ => (0 <=? c)%Z
  | S m => fun p box =>
      match box with
      | nil => false
      | r :: rs => proper r && forallb (fun q => no_negative q rs) (on_side r p)
      end
  end.

Lemma no_negative_sign n : forall (p : poly n) box xs, no_negative p box = true -> in_box box xs -> 0 <= poly_value p xs.
Proof.
  induction n as [| n IH]; intros p box xs H Hx; simpl in H; [now apply IZR_le, Z.leb_le | ].
  destruct box as [| r rs]; [easy | ]. destruct Hx as [Hx Hxs].
  apply andb_prop in H as [Hr H]. rewrite forallb_forall in H.
  destruct (on_side_sign n r p (hd 0 xs) (tl xs) Hr Hx) as [d [Hd E]].
  assert (0 <= d * poly_value p xs); [ | apply Rmult_le_reg_l with d; lra].
  change (poly_value p xs) with (horner (poly_values p (tl xs)) (hd 0 xs)). rewrite <- E.
  apply form_nonneg; try (now apply ends_nonneg).
  apply Forall_map, Forall_forall. intros q Hq. apply IH with rs; auto.
Qed.

(** Of each variable: [a] may be 0 here and [b] is not; or the other way round; or neither is. *)
Inductive place := Low | High | Between.

Definition fits (e : place) (r : side) (x : R) : Prop :=
  match e with
  | Low => 0 < from_above r x
  | High => 0 < from_below r x
  | Between => 0 < from_below r x /\ 0 < from_above r x
  end.

Definition places (r : side) : list place :=
  match r with
  | Within _ _ false false => [Low; High]
  | Within _ _ false true => [Low]
  | Within _ _ true false => [High]
  | Within _ _ true true => [Between]
  | Above _ o | Below _ o => if o then [Between] else [Low]
  end.

Fixpoint corners (box : list side) : list (list place) :=
  match box with nil => [nil] | r :: rs => flat_map (fun e => map (cons e) (corners rs)) (places r) end.

(** A coefficient is positive that counts there. *)
Fixpoint one_positive {n} : poly n -> list side -> list place -> bool :=
  match n with
  | O => fun c _ _ => (0 <? c)%Z
  | S m => fun p box at_ends =>
      match box, at_ends with
      | r :: rs, e :: es =>
          let qs := on_side r p in
          match e with
          | Low => existsb (fun q => one_positive q rs es) (firstn 1 qs)
          | High => existsb (fun q => one_positive q rs es) (firstn 1 (rev qs))
          | Between => existsb (fun q => one_positive q rs es) qs
          end
      | _, _ => false
      end
  end.

Fixpoint all_fit (es : list place) (box : list side) (xs : list R) : Prop :=
  match es, box with
  | e :: es', r :: rs => fits e r (hd 0 xs) /\ all_fit es' rs (tl xs)
  | nil, nil => True
  | _, _ => False
  end.

Lemma form_positive a b vs : 0 <= a -> 0 <= b -> Forall (Rle 0) vs ->
  (0 < b /\ Exists (Rlt 0) (firstn 1 vs)) \/ (0 < a /\ Exists (Rlt 0) (firstn 1 (rev vs))) \/
    (0 < a /\ 0 < b /\ Exists (Rlt 0) vs) ->
  0 < form a b vs.
Proof.
  intros Ha Hb H. induction H as [| v vs Hv Hvs IH]; intros [[Hb' K] | [[Ha' K] | [Ha' [Hb' K]]]].
  1-3: inversion K.
  all: simpl form; pose proof (form_nonneg a b vs Ha Hb Hvs); pose proof (pow_le b (length vs) Hb).
  - inversion_clear K as [? ? K' | ? ? K']; [ | inversion K'].
    assert (0 < v * b ^ length vs) by (apply Rmult_lt_0_compat; [easy | now apply pow_lt]). nra.
  - destruct vs as [| w vs].
    + inversion_clear K as [? ? K' | ? ? K']; [simpl; lra | inversion K'].
    + assert (0 < form a b (w :: vs)); [ | nra].
      apply IH. right. left. split; [easy | ].
      simpl in K |- *. destruct (rev vs ++ [w]) eqn:E; [now destruct (rev vs) | exact K].
  - assert (0 < b ^ length vs) by now apply pow_lt.
    inversion_clear K as [? ? K' | ? ? K']; [nra | ]. assert (0 < form a b vs) by (apply IH; auto). nra.
Qed.

Lemma in_first {A} (a : A) l : In a (firstn 1 l) -> In a l.
Proof. destruct l; simpl; tauto. Qed.

Lemma one_positive_sign n : forall (p : poly n) box es xs,
  no_negative p box = true -> one_positive p box es = true -> in_box box xs -> all_fit es box xs -> 0 < poly_value p xs.
Proof.
  induction n as [| n IH]; intros p box es xs H K Hx F; simpl in H, K; [now apply IZR_lt, Z.ltb_lt | ].
  destruct box as [| r rs]; [easy | ]. destruct es as [| e es]; [easy | ].
  destruct Hx as [Hx Hxs]. destruct F as [Fe F].
  apply andb_prop in H as [Hr H]. rewrite forallb_forall in H.
  destruct (on_side_sign n r p (hd 0 xs) (tl xs) Hr Hx) as [d [Hd E]].
  assert (0 < d * poly_value p xs); [ | apply Rmult_lt_reg_l with d; lra].
  change (poly_value p xs) with (horner (poly_values p (tl xs)) (hd 0 xs)). rewrite <- E.
  destruct (ends_nonneg r _ Hx) as [Ha Hb].
  assert (Some_positive : forall qs, (forall q, In q qs -> In q (on_side r p)) ->
    existsb (fun q => one_positive q rs es) qs = true -> Exists (Rlt 0) (poly_values qs (tl xs))).
  { intros qs In_qs Q. apply existsb_exists in Q as [q [Hq Q]]. apply Exists_exists.
    exists (poly_value q (tl xs)). split; [now apply in_map with (f := fun q => poly_value q (tl xs)) | ].
    apply IH with rs es; auto. }
  apply form_positive; try easy.
  - apply Forall_map, Forall_forall. intros q Hq. apply no_negative_sign with rs; auto.
  - unfold poly_values in *. destruct e; simpl in Fe.
    + left. split; [easy | ]. rewrite firstn_map. apply Some_positive; [ | easy].
      intros q Hq. apply (in_first _ _ Hq).
    + right. left. split; [easy | ]. rewrite <- map_rev, firstn_map. apply Some_positive; [ | easy].
      intros q Hq. apply in_rev, (in_first _ _ Hq).
    + right. right. split; [easy | split; [easy | ]]. now apply Some_positive.
Qed.

Lemma some_corner box : forall xs, forallb proper box = true -> in_box box xs ->
  exists es, In es (corners box) /\ all_fit es box xs.
Proof.
  induction box as [| r rs IH]; intros xs H Hx; [exists nil; simpl; auto | ].
  simpl in H. apply andb_prop in H as [Hr H]. destruct Hx as [Hx Hxs].
  destruct (IH _ H Hxs) as [es [Hes F]].
  assert (exists e, In e (places r) /\ fits e r (hd 0 xs)) as [e [He Fe]].
  { destruct r as [lo hi [] [] | lo [] | hi []]; simpl in *;
      try (eexists; split; [left; reflexivity | simpl; lra]).
    apply Z.ltb_lt, IZR_lt in Hr. destruct (Rlt_or_le (hd 0 xs) (IZR hi)).
    - exists Low. simpl. split; [auto | lra].
    - exists High. simpl. split; [auto | lra]. }
  exists (e :: es). split; [ | now split].
  simpl. apply in_flat_map. exists e. split; [easy | now apply in_map].
Qed.

(** * Parts of a box *)

(** A box is cut into parts, and on each part one of several polynomials has its sign. *)
Definition sign_at {n} (xs : list R) (t : bool * poly n) : Prop :=
  if fst t then 0 < poly_value (snd t) xs else 0 <= poly_value (snd t) xs.

Inductive walk := Here (k : nat) | Cut (i : nat) (c : Z) (below above : walk).

Definition below_cut (r : side) (c : Z) : side :=
  match r with Within lo _ o _ | Above lo o => Within lo c o false | Below _ _ => Below c false end.

Definition above_cut (r : side) (c : Z) : side :=
  match r with Within _ hi _ o | Below hi o => Within c hi false o | Above _ _ => Above c false end.

Fixpoint cut_at (f : side -> side) (i : nat) (box : list side) : list side :=
  match box, i with
  | nil, _ => nil
  | r :: rs, O => f r :: rs
  | r :: rs, S i => r :: cut_at f i rs
  end.

Fixpoint walked {n} (ts : list (bool * poly n)) (box : list side) (w : walk) : bool :=
  match w with
  | Here k =>
      match nth_error ts k with
      | Some (strict, p) => forallb proper box && no_negative p box &&
          (negb strict || forallb (one_positive p box) (corners box))
      | None => false
      end
  | Cut i c below above =>
      walked ts (cut_at (fun r => below_cut r c) i box) below && walked ts (cut_at (fun r => above_cut r c) i box) above
  end.

Lemma cut_cases c i : forall box xs, in_box box xs ->
  in_box (cut_at (fun r => below_cut r c) i box) xs \/ in_box (cut_at (fun r => above_cut r c) i box) xs.
Proof.
  induction i as [| i IH]; intros [| r rs] xs; simpl; auto; intros [Hx Hxs].
  - destruct (Rle_or_lt (hd 0 xs) (IZR c)); [left | right]; (split; [ | easy]);
      destruct r as [lo hi o o' | lo o | hi o]; simpl in *; unfold end_at in *; try tauto; try lra;
      split; try tauto; lra.
  - destruct (IH rs (tl xs) Hxs); auto.
Qed.

Lemma walked_sign n (ts : list (bool * poly n)) w : forall box xs,
  walked ts box w = true -> in_box box xs -> Exists (sign_at xs) ts.
Proof.
  induction w as [k | i c below IHb above IHa]; intros box xs H Hx; simpl in H.
  - destruct (nth_error ts k) as [[strict p] | ] eqn:E; [ | easy].
    apply andb_prop in H as [H K]. apply andb_prop in H as [Hr H].
    apply Exists_exists. exists (strict, p). split; [now apply nth_error_In with k | ].
    unfold sign_at. simpl. destruct strict; [ | now apply no_negative_sign with box].
    simpl in K. rewrite forallb_forall in K.
    destruct (some_corner box xs Hr Hx) as [es [Hes F]]. apply one_positive_sign with box es; auto.
  - apply andb_prop in H as [Hb Ha]. destruct (cut_cases c i box xs Hx); eauto.
Qed.

Lemma scaled f k v : 0 <= v -> 0 < k -> k * f = v -> 0 <= f.
Proof. nra. Qed.

Lemma scaled_strict f k v : 0 < v -> 0 < k -> k * f = v -> 0 < f.
Proof. nra. Qed.

(** One goal for each of the polynomials; [Sign] says that it has its sign. *)
Ltac on_parts n ts box xs w :=
  let B := fresh "Sign" in
  assert (B : Exists (@sign_at n xs) ts) by
    (apply (@walked_sign n ts w box xs);
     [ vm_compute; reflexivity | cbn [in_box within end_at hd tl]; repeat split; lra ]);
  each_sign B
with each_sign B :=
  apply Exists_cons in B; destruct B as [B | B];
  [ cbn [sign_at fst snd] in B | first [ solve [ inversion B ] | each_sign B ] ].

Ltac written := cbn [poly_value horner map hd tl].
